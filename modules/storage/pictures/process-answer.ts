/** What a picture process writes first: how a process that could not start differs from one that a picture has ended. */
export const READY = 'ready\n';
/** How a picture process ends whose picture needs more memory than it may use. Any other code than 0 means a damaged picture. */
export const TOO_LARGE_EXIT = 11;
export const DAMAGED_EXIT = 10;
