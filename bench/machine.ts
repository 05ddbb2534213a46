import { availableParallelism, cpus } from 'node:os';
import pg from 'pg';

/** What the figures were taken on. */
export interface Machine {
  node: string;
  postgres: string;
  platform: string;
  cpu: string;
  cores: number;
}

export async function describeMachine(url: string): Promise<Machine> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return {
    node: process.version,
    postgres: rows[0]?.server_version ?? 'unknown',
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
  };
}
