extension CommandName {
    var syncDetails: CommandDetails {
        switch self {
        case .sync:
            CommandDetails(
                "Delivers what is queued and fetches what is new, for all models or those named. Exits 0 only when caught up both ways.",
                "\"sync pause\" holds the background sync, and a typed sync, --deliver, get --remote and quarantine retry, which then exit 6; auth and schema pull still ask. Changes stay queued. It goes on with \"sync resume\".",
                examples: [
                    "sync": "both ways",
                    "sync push": "deliver only",
                    "sync pull Post --full": "fetch all posts anew",
                ],
                exits: [
                    .partial: "some items were refused, quarantined or remain",
                    .needsLogin: "the backend wants a login",
                    .conflicts: "records that both sides changed wait for you",
                    .unreachable: "the backend cannot be reached",
                    .brokenPlugin: "the backend's program is broken",
                    .needsConsent:
                        "it would remove many records or adopt another data set; the hint names the option that consents",
                ])
        case .status:
            CommandDetails(
                "Shows the backend, the network, what is queued, in conflict, rejected or quarantined, and how fresh each model is.",
                "In JSON next_attempt_at and wait_reason say until when the backend asked to be left alone, and why.",
                examples: [
                    "status": "for people", "status -o json": "for programs",
                ])
        case .queue:
            CommandDetails(
                "Lists the changes that wait for delivery and those the backend refused. Refused ones are out of view and kept until you repair or drop them.",
                "\"queue edit\" changes what would be sent; a refused change is offered again by \"queue retry\", or at once by \"queue edit N ITEM... --deliver\".",
                "\"queue list -o json\" gives [{seq,key,model,id,kind,state,set,was,attempts,next_attempt_at,error,group,created_at}].",
                examples: [
                    "queue": "everything",
                    "queue show 7":
                        "one change, and why it was refused; in a pipe add -o json for its values",
                    "queue edit 7 title=shorter --deliver": "repair it, and send it at once",
                ], exits: [.needsConsent: "drop would lose changes, and nobody could be asked"])
        case .conflicts:
            CommandDetails(
                "Lists the records that both sides changed, shows base, local and remote side by side, and ends a conflict by choosing.",
                examples: [
                    "conflicts show Post 0190c2a4-7d1e": "compare the sides",
                    "conflicts resolve Post 0190c2a4-7d1e --local": "keep what was typed here",
                    "conflicts resolve Post 0190c2a4-7d1e title=Both": "choose a value",
                ])
        case .quarantine:
            CommandDetails(
                "Lists incoming data that was not understood. It is kept as it came; retry reads it again, after a schema change for instance.",
                examples: [
                    "quarantine show 1": "the data itself", "quarantine retry all": "read it again",
                ], exits: [.partial: "some of it is still not understood"])
        case .watch:
            CommandDetails(
                "Shows the records that match, then every change to them as it happens, made here or elsewhere. q or Ctrl-C ends.",
                "As ndjson a line is {token,event,model,id,record,origin}; {\"event\":\"ready\",\"token\":..} ends the first listing, and a rejected line has mutation:{seq,kind,error} too. Records outside of the filter are not told of.",
                examples: [
                    "watch Post where rating ge 4 -o ndjson": "feed a program",
                    "watch --since 1234 --sync": "go on from a token, and sync meanwhile",
                ], exits: [.interrupted: "ended by Ctrl-C"])
        case .log:
            CommandDetails(
                "Lists the changes that happened here, newest last: typed, pulled, delivered or rolled back.",
                examples: [
                    "log limit 20": "the latest",
                    "log Post 0190c2a4-7d1e": "the history of a record",
                ])
        default: CommandDetails(examples: [:])
        }
    }
}
