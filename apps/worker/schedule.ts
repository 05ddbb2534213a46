/** What happens by the clock, in graphile-worker's crontab format; a task of each name stands in tasks.ts. */
export const schedule = [
  // Every ten minutes: conversations that were given to somebody who had just left.
  '*/10 * * * * hand_on_chains',
  // And requests that were sent to staff in the moment in which they could no longer decide.
  '*/10 * * * * hand_on_approvals',
  // Every four hours: what uploads that broke off have left.
  '23 */4 * * * sweep_objects',
  // Every morning: cases that are to be closed soon; a morning that was missed is made up for.
  '0 7 * * * remind_of_closing ?fill=1d',
  // Every morning: cases that will not have what is planned; each is told of once a month.
  '10 7 * * * warn_of_shortfalls ?fill=1d',
  // Every night: what is only needed for a time, and its time is over.
  '41 3 * * * remove_old_rows ?fill=1d',
].join('\n');
