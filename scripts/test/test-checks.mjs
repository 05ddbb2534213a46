import { join } from 'node:path';
import { ensureApiTypes, ensureStyles, ensureWebBuild } from '../checkout/builds.mjs';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { Refusal, say, since, step } from '../checkout/terminal.mjs';

const BIOME = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const KNIP = join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');
/** The native compiler takes a quarter of the time. The generator of API types needs the previous one. */
const TSC = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
/** By default four checkers each check the types that their files share, which takes two fifths more computing time. */
const ONE_CHECKER = ['--checkers', '1'];

/** Runs steps, each of which may fail without stopping the others. */
export class Checks {
  /** @type {{ title: string, code: number }[]} */
  failed = [];

  /**
   * @param {string} title
   * @param {() => Promise<unknown>} work
   * @returns {Promise<boolean>} whether it succeeded. Errors are shown
   */
  async run(title, work) {
    const start = performance.now();
    try {
      await step(title, work);
      return true;
    } catch (error) {
      this.failed.push({ title, code: error instanceof CommandFailure ? error.code : 1 });
      say(`  FAIL ${title} (${since(start)})`);
      say(error instanceof Refusal ? error.message : String(error instanceof Error ? error.stack : error));
      return false;
    }
  }

  /** Checks format, lint, unused code, and types. The types of the web frontend are checked with its build. */
  async runQuickly() {
    await this.#writeApiTypes();
    await Promise.all([this.#runBiome().then(() => this.#runKnip()), this.#runTypes()]);
  }

  /** Runs all checks that need only the sources, two at a time because most machines have at least two cores. */
  async runOnSources() {
    await this.#writeApiTypes();
    const [, isBuilt] = await Promise.all([
      this.#runBiome()
        .then(() => this.#runKnip())
        .then(() => this.#runTypes()),
      // The web frontend's types include some that its build writes.
      this.runWebBuild().then(async (isBuilt) => {
        await this.run('Types of the web frontend', () => runNode([TSC, '-p', 'apps/web', ...ONE_CHECKER]));
        return isBuilt;
      }),
    ]);
    return isBuilt;
  }

  #writeApiTypes() {
    return this.run('Types of the API', ensureApiTypes);
  }

  #runBiome() {
    const colors = process.stdout.isTTY ? ['--colors=force'] : ['--colors=off'];
    return this.run('Format and lint', () => runNode([BIOME, 'check', ...colors, '.']));
  }

  /** Finds unused files, exports, and dependencies. */
  #runKnip() {
    return this.run('Nothing unused', () => runNode([KNIP, '--no-progress', '--no-config-hints']));
  }

  #runTypes() {
    return this.run('Types', async () => {
      await runNode([TSC, '-p', 'tsconfig.json', ...ONE_CHECKER]);
      await runNode([TSC, '-p', 'apps/admin/browser']);
      // These start before the pinned Node.js is installed, so they may use only what Node.js 20 has.
      await runNode([TSC, '-p', 'scripts']);
    });
  }

  runStyles() {
    return this.run('Styles of the staff application', ensureStyles);
  }

  runWebBuild() {
    return this.run('Web build', ensureWebBuild);
  }
}

class CommandFailure extends Refusal {
  /**
   * @param {number} code
   * @param {string} output
   */
  constructor(code, output) {
    super(output.trim() || `exit code ${code}`);
    this.code = code;
  }
}

/**
 * Runs a script of the project or of a package with the pinned Node.js, in the checkout.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @throws {Refusal} with its output, when it fails
 */
export async function runNode(args, env = process.env) {
  const { code, output } = await runCommand(pinnedNode(), args, { cwd: ROOT, env });
  if (code !== 0) throw new CommandFailure(code, output);
}
