import { parseArgs } from 'node:util';
import { SCENARIOS } from './scenarios.ts';

export interface Options {
  /** Names of the scenarios to run. */
  only: string[];
  /** Length of one measurement. */
  seconds: number;
  /** Measurements of each side, taken in turns. */
  rounds: number;
  /** Messages in the database. */
  messages: number;
  /** Requests to the API while the platform's memory is read. */
  requests: number;
  /** File that the figures are also written to. */
  json: string | undefined;
  /** Folder that the CPU profiles of the API, and of the worker that pushes, are written to. */
  profile: string | undefined;
}

const NAMES = [
  ...new Set(SCENARIOS.map((scenario) => scenario.name)),
  'login',
  'growth',
  'attachments',
  'push',
  'case-page',
  'money',
  'web',
  'memory',
];

export const HELP = `Usage: npm run bench -- [options]

  --only NAMES    comma-separated: ${NAMES.join(', ')} (default: all)
  --seconds N     length of one measurement, 0.2 to 60 (default 0.5)
  --rounds N      measurements of each side, taken in turns, 1 to 20 (default 8)
  --messages N    messages in the database, 10000 to 1000000 (default 10000)
  --requests N    requests while memory is read, 10000 to 10000000 (default 20000)
  --json FILE     write the figures to FILE too
  --profile DIR   write CPU profiles of the API and the worker to DIR; it slows both down
  --help          show this`;

/**
 * Reads the command line.
 * @returns null when only help was asked for.
 * @throws {Error} with one line for the person who typed it.
 */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '0.5' },
      rounds: { type: 'string', default: '8' },
      messages: { type: 'string', default: '10000' },
      requests: { type: 'string', default: '20000' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const only = values.only?.split(',').map((name) => name.trim()) ?? NAMES;
  const unknown = only.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`--only knows ${NAMES.join(', ')}, not ${unknown.join(', ')}.`);
  return {
    only,
    seconds: readNumber('seconds', values.seconds, 0.2, 60),
    rounds: Math.round(readNumber('rounds', values.rounds, 1, 20)),
    messages: Math.round(readNumber('messages', values.messages, 10_000, 1_000_000)),
    requests: Math.round(readNumber('requests', values.requests, 10_000, 10_000_000)),
    json: values.json,
    profile: values.profile,
  };
}

function readNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max)) throw new Error(`--${name} must be ${min} to ${max}.`);
  return value;
}
