# Completion of conehull and conehull-lab for bash. Commands, options, values and the types of files are asked of the program
# itself.
_conehull_files() { # CURRENT [suffix...]: files with one of the suffixes (any, without suffixes), and folders
    local cur=$1 file suffix
    shift
    compopt -o filenames 2>/dev/null || true
    while IFS= read -r file; do
        if [ -d "$file" ] || [ $# -eq 0 ]; then
            COMPREPLY+=("$file")
            continue
        fi
        for suffix; do
            case $file in *".$suffix") COMPREPLY+=("$file") && break ;; esac
        done
    done < <(compgen -f -- "$cur" | LC_ALL=C sort)
}

_conehull() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    local help answer='' kind words before='' word
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        help=$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$help --help --version" -- "$cur")
        return
    fi
    case $prev in
        -*) answer=$("$program" --complete "$command" "$prev" 2>/dev/null) ;;
    esac
    kind=${answer%%$'\n'*}
    words=${answer#"$kind"}
    case $kind in
        words)
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
            return
            ;;
        list)
            case $cur in *,*) before=${cur%,*}, ;; esac
            for word in $(compgen -W "$words" -- "${cur##*,}"); do
                case ,$before in *",$word,"*) ;; *) COMPREPLY+=("$before$word") ;; esac
            done
            compopt -o nospace 2>/dev/null || true
            return
            ;;
        file)
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
            if [ -z "$words" ] || [ -n "$cur" ]; then _conehull_files "$cur"; fi
            return
            ;;
        folder)
            compopt -o filenames 2>/dev/null || true
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
            ;;
    esac
    case $cur in
        -*)
            help=$("$program" "$command" --help-all 2>/dev/null | sed -nE 's/^  (-., )?(--[a-z0-9-]+).*/\2/p')
            mapfile -t COMPREPLY < <(compgen -W "$help" -- "$cur")
            ;;
        *) _conehull_files "$cur" $("$program" --complete "$command" 2>/dev/null) ;;
    esac
}
complete -F _conehull conehull conehull-lab
