/// The completion scripts of `completions/`, written by scripts/generate-completions.
enum CompletionScript {
    static let bash = ##"""
        # bash completion for satchel.
        #
        # Source it from ~/.bashrc, or put it into ~/.local/share/bash-completion/completions/satchel.
        # The candidates come from satchel itself ("satchel __complete"); this script only translates between
        # whole words and the pieces that bash completes, which it cuts at = : > < @ and at quotes.

        _satchel() {
            local line=${COMP_LINE:0:COMP_POINT}
            local -a words=()
            # The word at the cursor without its quotes; how much of it is before the piece bash completes.
            local word='' kept=0 quote='' started='' char i

            for ((i = 0; i < ${#line}; i++)); do
                char=${line:i:1}
                case $quote$char in
                    "''" | '""') quote='' kept=${#word} ;;
                    '"\') # Inside double quotes a backslash is itself, save before these.
                        if [[ ${line:i+1:1} == [\\\"\$\`] ]]; then ((i++)); char=${line:i:1}; fi
                        word+=$char ;;
                    [\'\"]?*) word+=$char ;;
                    [\'\"]) quote=$char kept=${#word} started=1 ;;
                    '\') word+=${line:i+1:1} started=1; ((i++)) ;;
                    [[:space:]])
                        if [[ $started ]]; then words+=("$word"); fi
                        word='' kept=0 started='' ;;
                    *)
                        word+=$char started=1
                        if [[ $COMP_WORDBREAKS == *"$char"* ]]; then
                            kept=${#word}
                            # readline cuts before these and leaves them in the piece.
                            if [[ $char == [@$] ]]; then ((kept--)); fi
                        fi ;;
                esac
            done
            words+=("$word")

            local -a values=() helps=()
            local reply value help directives=
            while IFS= read -r reply; do
                if [[ $reply == :* ]]; then directives=$reply; continue; fi
                value=${reply%%$'\t'*} help=
                if [[ $reply == *$'\t'* ]]; then help=${reply#*$'\t'}; fi
                values+=("$value") helps+=("$help")
            done < <("${1/#\~/$HOME}" __complete bash $((${#words[@]} - 1)) -- "${words[@]}" 2>/dev/null)

            COMPREPLY=()
            if [[ $directives == *files* ]]; then
                local piece=${word:kept} file
                if [[ $piece != @* ]]; then
                    compopt -o filenames
                    mapfile -t COMPREPLY < <(compgen -f -- "$piece")
                    return
                fi
                # bash would take the @ for a part of the name.
                while IFS= read -r file; do
                    printf -v value %q "$file"
                    if [[ -d $file ]]; then value+=/; compopt -o nospace; fi
                    COMPREPLY+=("@$value")
                done < <(compgen -f -- "${piece#@}")
                return
            fi
            if [[ $directives == *nospace* ]]; then compopt -o nospace; fi

            local listing=
            if ((COMP_TYPE == 63 && ${#values[@]} > 1)); then listing=1; fi
            for i in "${!values[@]}"; do
                value=${values[i]}
                if [[ $listing ]]; then
                    # Only shown, never inserted.
                    value=${value:kept}
                    COMPREPLY+=("$value${helps[i]:+  (${helps[i]})}")
                    continue
                fi
                if [[ $value == "${word:0:kept}"* ]]; then
                    # One found by its label takes the place of the word; of several, none can.
                    if [[ $value != "$word"* ]] && ((${#values[@]} > 1)); then continue; fi
                    value=${value:kept}
                else
                    continue
                fi
                case $quote in
                    "'") if [[ $value == *\'* ]]; then continue; fi ;;
                    '"')
                        value=${value//\\/\\\\} value=${value//\"/\\\"}
                        value=${value//\$/\\\$} value=${value//\`/\\\`} ;;
                    *) printf -v value %q "$value" ;;
                esac
                COMPREPLY+=("$value")
            done
        }

        complete -o nosort -F _satchel satchel

        """##

    static let zsh = ##"""
        #compdef satchel
        #
        # zsh completion for satchel: put this file into a folder of $fpath.
        # The candidates come from satchel itself ("satchel __complete"); zsh does the quoting.

        _satchel() {
            local -a typed found values shown others others_shown
            local reply value help directives current

            # An open quote keeps (Q) from taking quotes away: close it first.
            current=${(Q)PREFIX}
            if [[ $current == "$PREFIX" && $PREFIX == *[\'\"]* ]]; then
                current=${(Q)${:-$PREFIX\"}}
                if [[ $current == "$PREFIX\"" ]]; then current=${(Q)${:-$PREFIX\'}}; fi
            fi
            typed=("${(@Q)words[1,CURRENT-1]}" "$current")
            found=("${(@f)$(${(Q)~words[1]} __complete zsh $((CURRENT - 1)) -- "${(@)typed}" 2>/dev/null)}")

            for reply in "${(@)found}"; do
                if [[ $reply == :* ]]; then directives=$reply; continue; fi
                [[ -n $reply ]] || continue
                value=${reply%%$'\t'*} help=
                if [[ $reply == *$'\t'* ]]; then help="  -- ${reply#*$'\t'}"; fi
                if [[ $value == "$current"* ]]; then
                    values+=("$value") shown+=("$value$help")
                else
                    others+=("$value") others_shown+=("$value$help")
                fi
            done

            if [[ $directives == *files* ]]; then
                compset -P '*[=@]'
                _files
                return
            fi

            local -a options=(-V satchel)
            if [[ $directives == *nospace* ]]; then options+=(-S ''); fi
            if (($#values)); then compadd -l -d shown "${(@)options}" -a values; fi
            # Found by their labels, they do not begin with what was typed: one takes its place, several are
            # only listed.
            if (($#others)); then
                compadd -U -l -d others_shown "${(@)options}" -a others
                if (($#others > 1 || $#values)); then compstate[insert]= compstate[list]='list force'; fi
            fi
        }

        # Found in $fpath it is called at the first completion; read by source it is only made known.
        if [[ ${funcstack[1]} == _satchel ]]; then
            _satchel "$@"
        else
            compdef _satchel satchel
        fi

        """##
}
