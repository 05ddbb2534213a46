import { isDeepStrictEqual } from 'node:util';
import type { LoadRequest } from 'autocannon';
import type { LoadJob, LoadResult } from './load.ts';
import type { Process } from './processes.ts';
import { floorPath, type PreparedScenario, sendOnce } from './record-requests.ts';
import type { Usage } from './usage-probe.ts';

/** What one side did with a scenario. */
export interface Figures {
  requests_per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU time of the server's process for one request, in microseconds. */
  cpu_us: number;
}

export interface Comparison {
  name: string;
  label: string;
  api: Figures;
  floor: Figures | null;
  /** The API's requests a second as a share of the floor's: the median of the rounds. */
  ratio: number | null;
  /** The floor's CPU time a request as a share of the API's: the median of the rounds. */
  cpu_ratio: number | null;
  target: number | null;
  /** False when the floor's answer is no longer the API's. */
  same_answer: boolean;
}

interface Bench {
  api: Process;
  floor: Process & { baseUrl: string | null };
  load: Process;
  seconds: number;
  rounds: number;
}

export interface Side {
  process: Process;
  requests: LoadRequest[];
  slots: Slot[];
}
export interface Slot extends Figures {
  latencies: Float64Array;
}

export const CONNECTIONS = 8;
/** Discarded: code is compiled, connections are opened, statements prepared. */
export const WARM_UP_ROUNDS = 2;

/** Measures a scenario on both sides in turns, so that what else the machine does weighs on both alike. */
export async function compare(bench: Bench, prepared: PreparedScenario): Promise<Comparison> {
  const { scenario, requests } = prepared;
  const toFloor = (request: LoadRequest) => ({ ...request, path: floorPath(scenario.user, request.path) });
  const api: Side = { process: bench.api, requests, slots: [] };
  const floor: Side = { process: bench.floor, requests: requests.map(toFloor), slots: [] };
  const sides = prepared.floor === null ? [api] : [api, floor];
  const same_answer = prepared.floor === null || (await answersAlike(api, floor));
  for (let round = 1 - WARM_UP_ROUNDS; round <= bench.rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const slot = await measure(bench, side);
      if (round > 0) side.slots.push(slot);
    }
  }
  const share = (of: (api: Slot, floor: Slot) => number) =>
    prepared.floor && median(api.slots.map((slot, at) => of(slot, floor.slots[at] ?? slot)));
  return {
    name: scenario.name,
    label: scenario.label,
    api: summarise(api.slots),
    floor: prepared.floor && summarise(floor.slots),
    ratio: share((a, b) => a.requests_per_second / b.requests_per_second),
    cpu_ratio: share((a, b) => b.cpu_us / a.cpu_us),
    target: scenario.target ?? null,
    same_answer,
  };
}

export async function measure(
  { load, seconds }: Pick<Bench, 'load' | 'seconds'>,
  { process, requests }: Side,
): Promise<Slot> {
  const url = process.baseUrl ?? '';
  const before = await process.ask<Usage>('usage');
  const result = await load.ask<LoadResult>('load', {
    url,
    seconds,
    requests,
    connections: CONNECTIONS,
  } satisfies LoadJob);
  const after = await process.ask<Usage>('usage');
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${process.name}: ${result.failures} requests failed, ${result.requests} were answered.`);
  }
  return {
    requests_per_second: result.requests / result.seconds,
    cpu_us: (after.cpu - before.cpu) / result.requests,
    ...percentiles(result.latencies),
    latencies: result.latencies,
  };
}

export function summarise(slots: Slot[]): Figures {
  const all = Float64Array.from(slots.flatMap((slot) => [...slot.latencies]));
  return {
    requests_per_second: median(slots.map((slot) => slot.requests_per_second)),
    cpu_us: median(slots.map((slot) => slot.cpu_us)),
    ...percentiles(all),
  };
}

function percentiles(latencies: Float64Array): Pick<Figures, 'p50_ms' | 'p99_ms'> {
  const sorted = latencies.toSorted();
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Whether both sides answer the first request with the same JSON, but for ids and times of what it makes. */
async function answersAlike(api: Side, floor: Side): Promise<boolean> {
  const [ours, theirs] = await Promise.all(
    [api, floor].map(async ({ process, requests: [first] }) => {
      const answer = first && (await sendOnce(process.baseUrl ?? '', first));
      if (first?.method !== 'GET')
        Object.assign((answer as { message: object }).message, { id: 0, created_at: '', viewed: '' });
      return answer;
    }),
  );
  return isDeepStrictEqual(ours, theirs);
}
