# Writes OUT, a C array of the bytes of PAGE. Run at build time: cmake -DPAGE=... -DOUT=... -P this file.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "static const unsigned char page_bytes[] = {\n${bytes}};\n")
