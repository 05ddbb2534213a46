import { type Load, runLoad } from './load.ts';
import type { Process } from './processes.ts';
import type { PreparedScenario } from './scenarios.ts';

/** One measurement of one side. */
interface Slot extends Load {
  /** CPU time of the server's process for one request, in microseconds. */
  cpu_us: number;
}

/** The medians of one side over the rounds. */
export interface Figures {
  requests_per_second: number;
  p50_ms: number;
  p99_ms: number;
  cpu_us: number;
}

export interface Comparison {
  label: string;
  api: Figures;
  floor: Figures;
  /** The platform's requests a second as a share of the floor's: the median of the rounds. */
  ratio: number;
  /** The floor's CPU time a request as a share of the platform's: the median of the rounds. */
  cpu_ratio: number;
  /** The least that the ratio should be; null where no target is set. */
  target: number | null;
}

/** Rounds whose results are discarded, while code is compiled, connections are opened, and statements are prepared. */
const WARM_UP_ROUNDS = 2;

/** Measures both sides in turns, so that other work of the machine affects both alike. */
export async function compare(
  { label, target }: { label: string; target: number | null },
  sides: { api: () => Promise<Slot>; floor: () => Promise<Slot> },
  rounds: number,
): Promise<Comparison> {
  const slots: Record<'api' | 'floor', Slot[]> = { api: [], floor: [] };
  for (let round = 1 - WARM_UP_ROUNDS; round <= rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['api', 'floor'] as const) : (['floor', 'api'] as const)) {
      const slot = await sides[side]();
      if (round > 0) slots[side].push(slot);
    }
  }
  const share = (of: (api: Slot, floor: Slot) => number) =>
    median(slots.api.map((slot, at) => of(slot, slots.floor[at] as Slot)));
  return {
    label,
    target,
    api: summarize(slots.api),
    floor: summarize(slots.floor),
    ratio: share((api, floor) => api.requests_per_second / floor.requests_per_second),
    cpu_ratio: share((api, floor) => floor.cpu_us / api.cpu_us),
  };
}

/** Compares the API with the floor for one scenario's requests. */
export function compareRequests(
  { api, floor }: { api: Process; floor: Process },
  { scenario, requests, floorRequests }: PreparedScenario,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Comparison> {
  const side = (process: Process, sent: typeof requests) => () => withCpu(process, () => runLoad(process.baseUrl, sent, seconds));
  return compare(scenario, { api: side(api, requests), floor: side(floor, floorRequests) }, rounds);
}

/** Runs a load and adds the CPU time that the process spent on each of its requests. */
export async function withCpu(process: Process, work: () => Promise<Load>): Promise<Slot> {
  const before = await process.ask<number>('usage');
  const load = await work();
  const after = await process.ask<number>('usage');
  return { ...load, cpu_us: (after - before) / load.latencies.length };
}

function summarize(slots: Slot[]): Figures {
  const sorted = slots.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return {
    requests_per_second: median(slots.map((slot) => slot.requests_per_second)),
    cpu_us: median(slots.map((slot) => slot.cpu_us)),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
