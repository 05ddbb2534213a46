/** The first output of a picture process. Without it, the process could not start; a picture did not end it. */
export const READY = 'ready\n';
/** The exit code when the picture needs more memory than allowed. Any other code than 0 means a damaged picture. */
export const TOO_LARGE_EXIT = 11;
export const DAMAGED_EXIT = 10;
