internal import JSON
package import Records

extension PluginSetup {
    /// The host's schema, as far as its description can be understood.
    package func schema() throws(PluginError) -> Schema {
        do throws(RecordsError) {
            return try Schema(protocolJSON: .object(description))
        } catch {
            throw PluginError(.permanent, "cannot read the schema: \(error.message)")
        }
    }
}

extension PluginQuery {
    /// The filter, with its field names those of `model`; nil when the query has none.
    package func filter(of model: Model) throws(PluginError) -> Filter? {
        guard let filter else { return nil }
        do throws(RecordsError) {
            return try Filter(protocolJSON: filter, model: model)
        } catch {
            throw PluginError(.unsupported, "cannot follow the filter: \(error.message)")
        }
    }
}
