/** What happens by the clock, in graphile-worker's crontab format; a task of each name stands in tasks.ts. */
export const schedule = '';
