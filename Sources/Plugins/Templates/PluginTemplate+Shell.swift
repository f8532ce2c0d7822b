extension PluginTemplate {
    /// `plugins/templates/sh.sh`, letter by letter.
    static let shell = #"""
        #!/bin/sh
        # satchel-backend-NAME: read-only; a model's records are the lines of the file Model.ndjson in the
        # folder that the config key "path" names, each an object that begins with its "id" as a text:
        #   {"id":"1","title":"Hello"}
        # Put your program in the place of rows(): a query, a curl, a report; a record a line.
        # Satchel writes compact JSON, "id" and "method" first; what is more involved is a case for jq.

        reply() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
        refuse() { reply "\"error\":{\"code\":-32000,\"message\":\"$2\",\"data\":{\"kind\":\"$1\"}}"; }

        # The number or text that a member of the request has; nothing when it is null or missing.
        number() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9][0-9]*\).*/\1/p"; }
        text() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\([^\"\\\\]*\)\".*/\1/p"; }

        rows() { [ ! -f "$path/$model.ndjson" ] || grep . "$path/$model.ndjson"; }

        initialize() {
            path=$(text path)
            if [ ! -d "$path" ]; then
                refuse permanent "NAME reads a folder: set the config key path"
                return
            fi
            capabilities='{"pull":{"snapshot":true,"page":1000},"ping":true,"fetch":false}'
            plugin='{"name":"NAME","version":"1.0"}'
            reply "\"result\":{\"protocol\":1,\"plugin\":$plugin,\"capabilities\":$capabilities}"
        }

        # The cursor is the number of records given so far; the host asks again while there are more.
        pull() {
            model=$(text model)
            case $model in *[!A-Za-z0-9_]*) refuse permanent "no such model"; return ;; esac
            from=$(number cursor)
            from=${from:-0}
            limit=$(number limit)
            to=$((from + ${limit:-1000}))
            more=false
            if [ "$(rows | wc -l)" -gt "$to" ]; then more=true; fi
            records=$(rows | sed -n "$((from + 1)),${to}p" |
                sed -e 's/^{ *"id": *\("[^"]*"\).*/{"id":\1,"record":&},/;t' \
                    -e 's/.*/{"record":&},/' | tr -d '\n')
            reply "\"result\":{\"records\":[${records%,}],\"cursor\":$to,\"more\":$more,\"complete\":true}"
        }

        if [ "$SATCHEL_PLUGIN" != 1 ]; then
            echo "satchel-backend-NAME: a read-only backend that Satchel starts"
            exit
        fi
        while read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
            if [ -z "$id" ]; then continue; fi # a notification, such as cancel, wants no answer
            case $line in
            *'"method":"initialize"'*) initialize ;;
            *'"method":"pull"'*) pull ;;
            *'"method":"ping"'*) reply '"result":{}' ;;
            *'"method":"shutdown"'*) reply '"result":{}'; exit ;;
            *) refuse unsupported "NAME is read-only" ;;
            esac
        done

        """#
}
