/// The schema files that `init` writes.
enum StarterSchema {
    /// A small model to change; it parses as it is.
    static let example = """
        # The models of this workspace, in GraphQL SDL as Amplify writes it. After a change:
        #   satchel schema check schema.graphql
        #
        # Scalars: ID String Int Float Boolean AWSDate AWSTime AWSDateTime AWSTimestamp AWSEmail
        # AWSJSON AWSURL AWSPhone AWSIPAddress; [Type] is a list, Type! is required.
        # Relations: @hasOne @hasMany @belongsTo @manyToMany. Keys: @primaryKey @index.

        enum Status {
          OPEN
          DONE
        }

        type Task @model {
          id: ID!
          title: String!
          status: Status! @default(value: "OPEN")
          due: AWSDate
          labels: [String]
          notes: [Note] @hasMany
        }

        type Note @model {
          id: ID!
          text: String!
          task: Task @belongsTo
        }

        """

    /// ISO 3166, as `ISO3166` reads it.
    static let iso3166 = """
        # The countries of the world and their subdivisions: ISO 3166, as Debian's package
        # iso-codes has it. Records are known by their codes, not by made ids.

        type Country @model {
          alpha_2: ID! @primaryKey
          alpha_3: String! @index(name: "countriesByAlpha3")
          numeric: String!
          name: String!
          official_name: String
          common_name: String
          flag: String
          subdivisions: [Subdivision] @hasMany(references: ["country_code"])
        }

        type Subdivision @model {
          code: ID! @primaryKey
          name: String!
          type: String!
          country_code: ID!
          country: Country @belongsTo(references: ["country_code"])
          # The subdivision that this one is a part of.
          parent_code: ID
          parent: Subdivision @belongsTo(references: ["parent_code"])
          parts: [Subdivision] @hasMany(references: ["parent_code"])
        }

        """
}
