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
