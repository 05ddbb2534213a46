/** Scheduled tasks, in graphile-worker's crontab format; tasks.ts has a function for each name. */
export const schedule = [
  // Every minute: rewrites the words of texts that the previous release wrote, so that searches find them (API-6).
  '* * * * * index_words ?jobKey=index_words',
  // Every ten minutes: reassigns conversations that were assigned to someone just as they left (CHAIN-7).
  '*/10 * * * * reassign_chains',
  // Every ten minutes: reassigns requests that were sent to staff just as they lost the right to decide (APPROVER-3).
  '*/10 * * * * reassign_approvals',
  // Every hour, soon after the cutoff too: moves the arrival days of payments that are late (WHERE-3).
  '4 * * * * move_dates',
  // Every four hours: deletes what interrupted uploads left behind (UPLOAD-2).
  '23 */4 * * * sweep_objects',
  // Every morning, made up for if missed: reminds of cases that are to be closed soon (EMAIL-9).
  '0 7 * * * remind_of_closing ?fill=1d',
  // Every morning: warns of cases that will be short of planned payments, once a month each (PROJECTION-3).
  '10 7 * * * warn_of_shortfalls ?fill=1d',
  // Every night: deletes expired rows (RETAIN-1).
  '41 3 * * * remove_old_rows ?fill=1d',
].join('\n');
