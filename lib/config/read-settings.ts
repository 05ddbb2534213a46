import { readFileSync } from 'node:fs';
import { parseDatabaseAddress } from '../database/database-address.ts';
import { DEVELOPMENT_ONLY, isReadBy, isSetting, type ProcessName } from './settings-of-processes.mjs';

export type Environment = Record<string, string | undefined>;
export type Reader = ReturnType<typeof createReader>;

const YES = ['1', 'true', 'yes'];
const NO = ['0', 'false', 'no'];

/**
 * Reads settings of these processes from the environment; settings of other processes count as unset. Problems are added to
 * `problems`, by name and never by value.
 * @throws if code reads a name that no process declares.
 */
export function createReader(processes: readonly ProcessName[], environment: Environment, problems: string[]) {
  const isOurs = (name: string) => DEVELOPMENT_ONLY.includes(name) || processes.some((one) => isReadBy(one, name));

  const optional = (name: string): string | undefined => {
    if (!isSetting(name)) throw new Error(`${name} is read by no process: see lib/config/settings-of-processes.mjs.`);
    if (!isOurs(name)) return undefined;
    const file = environment[`${name}_FILE`];
    if (file !== undefined && file !== '') {
      try {
        return readFileSync(file, 'utf8').trim() || undefined;
      } catch {
        problems.push(`${name}_FILE names a file that cannot be read.`);
        return undefined;
      }
    }
    return environment[name]?.trim() || undefined;
  };

  return {
    isOurs,
    optional,
    text: (name: string, fallback: string) => optional(name) ?? fallback,
    flag(name: string): boolean {
      const value = optional(name)?.toLowerCase();
      if (value !== undefined && ![...YES, ...NO].includes(value)) problems.push(`${name} must be true or false.`);
      return YES.includes(value ?? '');
    },
    choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
      const value = optional(name);
      const chosen = choices.find((choice) => choice === value);
      if (value !== undefined && chosen === undefined) problems.push(`${name} must be one of ${choices.join(', ')}.`);
      return chosen;
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = optional(name);
      if (value === undefined) return fallback;
      if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
      problems.push(`${name} must be a whole number from ${min} to ${max}.`);
      return fallback;
    },
    url(name: string, fallback: string): string {
      const value = optional(name) ?? fallback;
      if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '');
      problems.push(`${name} must be an http or https address.`);
      return fallback;
    },
    databaseUrl(name: string): string | undefined {
      const value = optional(name);
      try {
        if (value !== undefined) parseDatabaseAddress(value);
      } catch (error) {
        problems.push(`${name} ${(error as Error).message}`);
      }
      return value;
    },
  };
}
