# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=... -D FOLDER=... -P write_completions.cmake: the completions that the program writes, in files named
# as the shells look for them.
file(MAKE_DIRECTORY ${FOLDER})
foreach(completion "bash;benchdnn-lite" "zsh;_benchdnn-lite")
  list(GET completion 0 shell)
  list(GET completion 1 file)
  execute_process(COMMAND ${PROGRAM} --completion=${shell} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
