# Writes OUT, C tables of the meta-schemas in FOLDER: each document's bytes, then its length and the
# URI that its $id gives. Run at build time: cmake -DFOLDER=... -DOUT=... -P this file.
file(GLOB documents ${FOLDER}/*.json)
list(SORT documents)
set(arrays "")
set(rows "")
foreach(document ${documents})
  file(READ ${document} text)
  string(JSON uri ERROR_VARIABLE no_id GET "${text}" "$id")
  if(no_id) # draft-04
    string(JSON uri GET "${text}" "id")
  endif()
  string(REGEX REPLACE "#$" "" uri "${uri}")
  get_filename_component(name ${document} NAME_WE)
  string(MAKE_C_IDENTIFIER "bytes_${name}" name)
  file(READ ${document} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const char ${name}[] = {${bytes}};\n")
  string(APPEND rows "    {{\"${uri}\", sizeof \"${uri}\" - 1}, {${name}, sizeof ${name}}},\n")
endforeach()
file(WRITE ${OUT}
  "${arrays}\nstatic const struct metaschema metaschemas[] = {\n${rows}};\n")
