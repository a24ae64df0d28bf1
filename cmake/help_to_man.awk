# The help of the program as a manual page, so that there is one source for both:
#
#     conehull anchors --help | awk -v page=conehull-anchors -v version=0.2.0 -v date=2026-01-01 -f help_to_man.awk
#
# Headings become sections, options tagged paragraphs. Text that is laid out (two blanks within a line, or lines that are
# indented by more than the others) stays as it is; other text is filled.
function plain(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/~/, "\\(ti", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/`/, "\\(ga", text)
  gsub(/'/, "\\(aq", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}
# Hyphens between letters stay hyphens.
function prose(text) {
  text = plain(text)
  while (match(text, /[A-Za-z]\\-[A-Za-z]/)) text = substr(text, 1, RSTART) "-" substr(text, RSTART + 3)
  return text
}
function section(title) { print ".SH " (title ~ /^-/ ? plain(title) : toupper(plain(title))); opened = title }

# The lines block[1 .. rows] as text: laid out, or filled.
function put_block(    i, j, margin, laid_out, text) {
  margin = 99
  for (i = 1; i <= rows; i++) { match(block[i], /^ */); if (RLENGTH < margin) margin = RLENGTH }
  for (i = 1; i <= rows; i = j) {
    laid_out = is_laid_out(block[i], margin)
    for (j = i; j <= rows && is_laid_out(block[j], margin) == laid_out; j++) continue
    if (laid_out) print ".nf"
    for (; i < j; i++) {
      text = substr(block[i], margin + 1)
      print laid_out ? plain(text) : prose(text)
    }
    if (laid_out) print ".fi"
  }
}
function is_laid_out(line, margin) {
  return opened == "Examples" || opened == "Exit codes" || substr(line, margin + 1) ~ /^ / || line ~ /[^ .]  +[^ ]/
}

function put_options(    i, head, rest) {
  for (i = 2; i <= rows; i++) {
    if (block[i] ~ /^  -/) {
      head = substr(block[i], 3)
      rest = ""
      if (match(head, /  +/)) { rest = substr(head, RSTART + RLENGTH); head = substr(head, 1, RSTART - 1) }
      print ".TP"
      print ".B " plain(head)
      if (rest != "") print prose(rest)
    } else {
      rest = block[i]
      sub(/^ */, "", rest)
      print prose(rest)
    }
  }
}
function put_commands(    i, words) {
  for (i = 2; i <= rows; i++) {
    split(block[i], words, " ")
    print ".TP"
    print ".BR conehull\\-" words[1] " (1)"
    rest = block[i]
    sub(/^ *[a-z]+ */, "", rest)
    print prose(rest)
  }
}

function finish(    i) {
  if (rows == 0) return
  blocks++
  if (blocks == 1) start_page()
  else if (block[1] ~ /^usage: /) {
    section("Synopsis")
    usage = substr(block[1], 8)
    for (i = 2; i <= rows; i++) { sub(/^ */, " ", block[i]); usage = usage block[i] }
    print ".B " plain(usage)
    section("Description")
    if (is_program) {
      rows = overview_rows
      for (i = 1; i <= rows; i++) block[i] = overview[i]
      put_block()
      described = 1
    }
  } else if (block[1] ~ /^[^ ].*:$/ && rows > 1 && block[2] ~ /^  /) {
    title = block[1]
    sub(/:$/, "", title)
    section(title)
    if (title == "Commands") put_commands()
    else if (block[2] ~ /^  -/) put_options()
    else {
      for (i = 1; i < rows; i++) block[i] = block[i + 1]
      rows--
      put_block()
    }
  } else {
    if (opened == "Description" && described++) print ".PP"
    else if (opened != "Description") section("Notes")
    put_block()
  }
  rows = 0
}
function start_page(    at) {
  print ".\\\" Made from conehull --help; changes go there."
  print ".TH " toupper(plain(page)) " 1 " date " \"conehull " version "\" \"User Commands\""
  section("Name")
  is_program = block[1] !~ / - /
  if (is_program) {
    print plain(page) " \\- " (page == "conehull" ? "anchor columns of a non-negative matrix" : "experiments and measurements")
    for (at = 1; at <= rows; at++) overview[at] = block[at]
    overview_rows = rows
  } else {
    at = index(block[1], " - ")
    print plain(page) " \\- " prose(substr(block[1], at + 3))
  }
}

/^$/ { finish(); next }
{ block[++rows] = $0 }
END {
  finish()
  if (page != "conehull") { section("See also"); print ".BR conehull (1)" }
}
