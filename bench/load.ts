import autocannon, { type LoadRequest } from 'autocannon';

/** The load generator, in a process of its own: runs one job at a time and hands back what it saw. */

export interface LoadJob {
  url: string;
  connections: number;
  seconds: number;
  /** The job is over with so many responses, however long they take. */
  amount?: number;
  /** Each connection goes through these in turn, starting at another one. */
  requests: LoadRequest[];
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Milliseconds of each response, in no particular order. */
  latencies: Float64Array;
  /** Responses other than 2xx, and requests without one. */
  failures: number;
}

/** However fast a server is, one job ends here; however slow, it goes on to this many, for up to ten times as long. */
const REQUESTS_MAX = 200_000;
const REQUESTS_MIN = 20;

async function runJob({ url, connections, seconds, amount, requests }: LoadJob): Promise<LoadResult> {
  const latencies: number[] = [];
  let clients = 0;
  const start = performance.now();
  let end = start;
  const run = autocannon({
    url,
    connections,
    duration: 10 * seconds,
    sampleInt: 20,
    timeout: 20,
    requests,
    setupClient(client) {
      const from = clients % requests.length;
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
      clients += 1;
    },
  });
  run.on('response', (_client, _status, _bytes, ms) => {
    end = performance.now();
    const count = latencies.push(ms);
    const isOver = amount === undefined && count >= REQUESTS_MIN && end - start >= seconds * 1000;
    if (isOver || count >= (amount ?? REQUESTS_MAX)) run.stop();
  });
  const { non2xx, errors } = await run;
  return {
    requests: latencies.length,
    seconds: (end - start) / 1000,
    latencies: Float64Array.from(latencies),
    failures: non2xx + errors,
  };
}

process.on('message', async (job: LoadJob) => {
  process.send?.({ answer: 'load', value: await runJob(job) });
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
