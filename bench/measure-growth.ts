import pg from 'pg';
import { type Figures, measure, median, type Side, summarise, WARM_UP_ROUNDS } from './compare.ts';
import type { Process } from './processes.ts';
import type { PreparedScenario } from './record-requests.ts';
import { seedBench } from './seed-bench.ts';

/** What the same request costs on a platform that has grown. */
export interface Growth {
  label: string;
  small: Figures;
  large: Figures;
  /** How much more a request costs on the large platform: the median of the rounds. */
  cost: number;
}

export const SMALL = 10_000;
export const LARGE = 1_000_000;
/** The most that a request may cost there, as a share of what it costs on the small one. */
export const GROWTH_TARGET = 1.3;

interface GrowthBench {
  /** Two APIs, one on each platform. */
  small: Process;
  large: Process;
  load: Process;
  seconds: number;
  rounds: number;
}

type LargePlatform = { url: string; chains: number[] };
let large: Promise<LargePlatform> | undefined;

/** Makes a database beside this one, once, and fills it with a million messages. @returns its address, and the chains to write into. */
export function seedLarge(url: string, encryptionKey: string): Promise<LargePlatform> {
  large ??= makeLarge(url, encryptionKey);
  return large;
}

async function makeLarge(url: string, encryptionKey: string): Promise<LargePlatform> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create database bench_large');
  } finally {
    await client.end();
  }
  const large = new URL(url);
  large.pathname = '/bench_large';
  return { url: large.href, chains: await seedBench({ url: large.href, encryptionKey, messages: LARGE }) };
}

/** Sends the same requests to both in turns, so that what else the machine does weighs on both alike. */
export async function measureGrowth(bench: GrowthBench, { scenario, requests }: PreparedScenario): Promise<Growth> {
  const small: Side = { process: bench.small, requests, slots: [] };
  const large: Side = { process: bench.large, requests, slots: [] };
  for (let round = 1 - WARM_UP_ROUNDS; round <= bench.rounds; round += 1) {
    for (const side of round % 2 === 0 ? [small, large] : [large, small]) {
      const slot = await measure(bench, side);
      if (round > 0) side.slots.push(slot);
    }
  }
  const costs = small.slots.map((slot, at) => slot.requests_per_second / (large.slots[at] ?? slot).requests_per_second);
  return { label: scenario.label, small: summarise(small.slots), large: summarise(large.slots), cost: median(costs) };
}
