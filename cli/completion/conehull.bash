# Completion of conehull and conehull-lab for bash. Commands, options and choices are asked of the program itself.
_conehull() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} help choices
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        help=$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        COMPREPLY=($(compgen -W "$help --help --version" -- "$cur"))
        return
    fi
    help=$("$program" "${COMP_WORDS[1]}" --help-all 2>/dev/null | grep -E '^  -') || return
    case $prev in
        -*)
            choices=$(printf '%s\n' "$help" |
                sed -nE "s/^  (-., )?$prev ([a-z0-9-]+(\|[a-z0-9-]+)+)( .*)?\$/\2/p" | tr '|' ' ')
            if [ -n "$choices" ]; then
                COMPREPLY=($(compgen -W "$choices" -- "$cur"))
                return
            fi
            ;;
    esac
    case $cur in
        -*) COMPREPLY=($(compgen -W "$(printf '%s\n' "$help" | sed -nE 's/^  (-., )?(--[a-z0-9-]+).*/\2/p')" -- "$cur")) ;;
        *) compopt -o default 2>/dev/null ;;
    esac
}
complete -F _conehull conehull conehull-lab
