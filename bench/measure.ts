import { type BenchRequest, type Load, runLoad } from './load.ts';
import type { Process } from './processes.ts';

/** One measurement. */
interface Slot extends Load {
  /** CPU time of the server's process for one request, in microseconds. */
  cpu_us: number;
}

/** The medians of one operation over its rounds. */
export interface Figures {
  label: string;
  requests_per_second: number;
  p50_ms: number;
  p99_ms: number;
  cpu_us: number;
}

/** Rounds whose results are discarded, while code is compiled, connections are opened, and statements are prepared. */
const WARM_UP_ROUNDS = 2;

/** Measures an operation in several rounds, because other work of the machine comes and goes. */
export async function measure(label: string, take: () => Promise<Slot>, rounds: number): Promise<Figures> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await take();
  const slots: Slot[] = [];
  while (slots.length < rounds) slots.push(await take());
  const sorted = slots.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return {
    label,
    requests_per_second: median(slots.map((slot) => slot.requests_per_second)),
    cpu_us: median(slots.map((slot) => slot.cpu_us)),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
}

/** Measures requests of the API. */
export function measureRequests(
  api: Process,
  { label, requests }: { label: string; requests: BenchRequest[] },
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Figures> {
  return measure(label, () => withCpu(api, () => runLoad(api.baseUrl, requests, seconds)), rounds);
}

/** Runs a load and adds the CPU time that the process spent on each of its requests. */
export async function withCpu(process: Process, work: () => Promise<Load>): Promise<Slot> {
  const before = await process.readCpuTime();
  const load = await work();
  return { ...load, cpu_us: ((await process.readCpuTime()) - before) / load.latencies.length };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
