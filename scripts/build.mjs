import { ensureStyles, ensureWebBuild } from './checkout/builds.mjs';
import { ensureInstalled } from './checkout/install.mjs';
import { endCommands } from './checkout/run-command.mjs';
import { sayWhatFailed, step } from './checkout/terminal.mjs';

/** Builds what `npm start` builds, for operators who start the applications without it. */
try {
  await ensureInstalled();
  await Promise.all([
    step("Building the staff application's styles", ensureStyles),
    step('Building the web frontend', ensureWebBuild),
  ]);
} catch (error) {
  sayWhatFailed(error);
  process.exitCode = 1;
  await endCommands();
}
