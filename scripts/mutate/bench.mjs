import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureStyles } from '../checkout/builds.mjs';
import { COMPILE_CACHE, listSources, ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { killGroup, runCommand } from '../checkout/run-command.mjs';
import { testEnvironment } from '../test/test-environment.mjs';
import { findWrongPlace } from './places.mjs';
import { changeTemplate, dropLeftOver } from './test-server.mjs';

/** @typedef {import('./mutants/write.mjs').Mutant} Mutant */
/** @typedef {import('./verdicts.mjs').Verdict} Verdict */

const TEST_WITHIN_MS = 240_000;
const FAILED = /^\s*✖ (.*) \([\d.]+ms\)$/;
const PLACES = ['apps', 'bench', 'chaos', 'db', 'docs', 'lib', 'modules', 'scripts', 'test', 'words'];
const FILES = ['package.json', 'tsconfig.json'];
const BUILT = join('apps', 'admin', '.built');

/** A copy of the tree and a database server, on which one mutant after the other is tried. */
export class Bench {
  #tree;
  #folder;
  #postgres;
  #env;
  /** Files of tests that pass on the tree as it is. */
  #sound = new Map();

  /**
   * @param {string} tree
   * @param {string} folder
   * @param {import('../postgres/postgres.mjs').Postgres} postgres
   */
  constructor(tree, folder, postgres) {
    this.#tree = tree;
    this.#folder = folder;
    this.#postgres = postgres;
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary, { mode: 0o711 });
    this.#env = testEnvironment(process.env, {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      TMPDIR: temporary,
      TEST_DATABASE_URL: postgres.url,
    });
  }

  /** @param {string} tree the folder of the copy, which is made anew */
  static async open(tree) {
    await ensureStyles();
    copyTree(tree);
    const { startPostgres } = await import('../postgres/postgres.mjs');
    const folder = mkdtempSync(join(tmpdir(), 'case-mutate-'));
    // The database's own user must be able to pass through.
    chmodSync(folder, 0o711);
    const dataDir = join(folder, 'database');
    mkdirSync(dataDir, { mode: 0o711 });
    const bench = new Bench(tree, folder, await startPostgres({ dataDir, mode: 'throwaway' }));
    await bench.#prepare();
    return bench;
  }

  /**
   * @param {Mutant} mutant
   * @returns {Promise<Verdict>}
   */
  async tryOne(mutant) {
    const { patches = [], sql, tests } = mutant;
    const wrong = findWrongPlace(this.#tree, mutant);
    if (wrong !== null) return { outcome: 'no place', by: wrong };
    for (const test of tests) {
      const failed = await this.#failsAsItIs(test);
      if (failed !== null) return { outcome: 'no place', by: `${test} fails without it: ${failed}` };
    }
    const before = new Map(patches.map(({ file }) => [file, readFileSync(join(this.#tree, file), 'utf8')]));
    const inDatabase = sql !== undefined || patches.some(({ file }) => file.startsWith('db/'));
    try {
      for (const { file, find, put } of patches) {
        const path = join(this.#tree, file);
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(find, () => put),
        );
      }
      if (inDatabase) await this.#prepare(sql);
      const by = await this.#firstFailure(tests);
      return by === null ? { outcome: 'survived', by: '' } : { outcome: 'noticed', by };
    } catch (error) {
      return { outcome: 'no place', by: error instanceof Error ? error.message : String(error) };
    } finally {
      for (const [file, text] of before) writeFileSync(join(this.#tree, file), text);
      if (inDatabase) await this.#prepare();
    }
  }

  async close() {
    await this.#postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @param {string} test */
  async #failsAsItIs(test) {
    if (!this.#sound.has(test)) this.#sound.set(test, await this.#firstFailure([test]));
    return this.#sound.get(test);
  }

  /**
   * Makes the template database, as the tests do, and changes it.
   * @param {string} [sql]
   */
  async #prepare(sql) {
    const made = await this.#node([join('test', 'support', 'templates', 'cast-template.ts')]);
    if (made.code !== 0)
      throw new Error(
        made.output
          .trim()
          .split('\n')
          .find((line) => /Error/.test(line)) ?? made.output,
      );
    if (sql === undefined) return;
    await changeTemplate(this.#postgres.url, sql);
  }

  /**
   * Runs the tests and ends them at the first that fails.
   * @param {string[]} files
   * @returns {Promise<string | null>} its title
   */
  async #firstFailure(files) {
    /** @type {string | null} */
    let failure = null;
    /** @type {number | undefined} */
    let process;
    const { code, output } = await runCommand(
      pinnedNode(),
      ['--test', '--test-reporter=spec', `--test-timeout=${TEST_WITHIN_MS}`, ...files],
      {
        cwd: this.#tree,
        env: this.#env,
        withinMs: TEST_WITHIN_MS,
        onStart: (pid) => {
          process = pid;
        },
        onLine: (line) => {
          const [, title] = FAILED.exec(stripVTControlCharacters(line)) ?? [];
          if (title === undefined || failure !== null) return;
          failure = title;
          killGroup(process, 'SIGKILL');
        },
      },
    );
    if (failure !== null) {
      await dropLeftOver(this.#postgres.url);
      return failure;
    }
    return code === 0 ? null : (output.trim().split('\n').at(-1) ?? `exit code ${code}`);
  }

  /** @param {string[]} args */
  #node(args) {
    return runCommand(pinnedNode(), args, { cwd: this.#tree, env: this.#env, withinMs: TEST_WITHIN_MS });
  }
}

/**
 * Sources are copied; packages are found above the copy, which lies below the checkout, but for our own workspaces.
 * @param {string} tree
 */
function copyTree(tree) {
  rmSync(tree, { recursive: true, force: true });
  cpSync(join(ROOT, BUILT), join(tree, BUILT), { recursive: true });
  for (const file of [...PLACES.flatMap(listSources), ...FILES]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(tree, file));
  }
  const own = join('node_modules', '@case-platform');
  mkdirSync(join(tree, own), { recursive: true });
  for (const name of readdirSync(join(ROOT, own)))
    symlinkSync(readlinkSync(join(ROOT, own, name)), join(tree, own, name), 'junction');
  for (const workspace of [
    'db',
    'lib',
    'modules',
    'test',
    ...readdirSync(join(ROOT, 'apps')).map((app) => join('apps', app)),
  ]) {
    const packages = join(ROOT, workspace, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(tree, workspace, 'node_modules'), 'junction');
  }
}
