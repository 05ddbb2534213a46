import { join } from 'node:path';
import { ensureApiTypes, ensureStyles, ensureWebBuild } from '../checkout/builds.mjs';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { Refusal, say, since, step } from '../checkout/terminal.mjs';

const BIOME = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const KNIP = join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');
/** The native compiler, in a quarter of the time; what generates code from the API's description asks for the one before. */
const TSC = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');

/** Steps of which each may fail without keeping the others from being run. */
export class Checks {
  /** @type {{ title: string, code: number }[]} */
  failed = [];

  /**
   * @param {string} title
   * @param {() => Promise<unknown>} work
   * @returns {Promise<boolean>} whether it went well; what went wrong is shown
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

  /** Format, lint, what is unused, and types; those of the web frontend are checked with its build. */
  async runQuickly() {
    await this.#writeApiTypes();
    await Promise.all([this.#runBiome().then(() => this.#runKnip()), this.#runTypes()]);
  }

  /** Everything that needs nothing but the sources; two at a time, as most machines have two cores at least. */
  async runOnSources() {
    await this.#writeApiTypes();
    const [, isBuilt] = await Promise.all([
      this.#runBiome()
        .then(() => this.#runKnip())
        .then(() => this.#runTypes()),
      // The web frontend's types include some that its build writes.
      this.runWebBuild().then(async (isBuilt) => {
        await this.run('Types of the web frontend', () => runNode([TSC, '-p', 'apps/web']));
        return isBuilt;
      }),
    ]);
    return isBuilt;
  }

  #writeApiTypes() {
    return this.run('Types of the API', ensureApiTypes);
  }

  #runBiome() {
    const colour = process.stdout.isTTY ? ['--colors=force'] : ['--colors=off'];
    return this.run('Format and lint', () => runNode([BIOME, 'check', ...colour, '.']));
  }

  /** Files, exports and dependencies that nothing uses. */
  #runKnip() {
    return this.run('Nothing unused', () => runNode([KNIP, '--no-progress', '--no-config-hints']));
  }

  #runTypes() {
    return this.run('Types', async () => {
      await runNode([TSC, '-p', 'tsconfig.json']);
      await runNode([TSC, '-p', 'apps/admin/browser']);
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
 * Runs a script of the project or of a package by the pinned Node.js, in the checkout.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @throws {Refusal} with what it wrote, when it fails
 */
export async function runNode(args, env = process.env) {
  const { code, output } = await runCommand(pinnedNode(), args, { cwd: ROOT, env });
  if (code !== 0) throw new CommandFailure(code, output);
}
