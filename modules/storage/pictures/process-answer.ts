/** The first output of a picture process. Without it, the process could not start, and the picture is not to blame. */
export const READY = 'ready\n';
/** The exit code of a picture that needs too much memory. Any other code except 0 means a damaged picture. */
export const TOO_LARGE_EXIT = 11;
export const DAMAGED_EXIT = 10;
