# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=... -D FOLDER=... -P write_own_texts.cmake: the completions and the manual page that the program writes,
# in files named as the shells and man look for them.
file(MAKE_DIRECTORY ${FOLDER}/completions ${FOLDER}/man)
foreach(text "--completion=bash;completions/benchdnn-lite" "--completion=zsh;completions/_benchdnn-lite"
    "--manual;man/benchdnn-lite.1")
  list(GET text 0 knob)
  list(GET text 1 file)
  execute_process(COMMAND ${PROGRAM} ${knob} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
