import { ownHost } from '../../lib/config/own-host.mjs';
import { say } from '../checkout/terminal.mjs';
import { DEMO_TOTP_SECRET, demoCode } from '../demo/demo-code.mjs';

const PASSWORD = 'Demo-Passw0rd!';

/** Email address, user type in words, purpose, and password. */
const ACCOUNTS = [
  ['root@demo.test', 'admin', 'Administrator, every permission', PASSWORD],
  ['escrow@demo.test', 'admin', 'Escrow Specialist of cases 1 and 2', PASSWORD],
  ['finance@demo.test', 'admin', 'Finance', PASSWORD],
  ['viewer@demo.test', 'admin', 'Viewer, on no case team', PASSWORD],
  ['parent@demo.test', 'intended parent', 'parent of case 1', PASSWORD],
  ['parent2@demo.test', 'intended parent', 'parent of case 1', PASSWORD],
  ['surrogate@demo.test', 'surrogate', 'surrogate of case 1', PASSWORD],
  ['manager@demo.test', 'case manager', 'manager of case 1', PASSWORD],
  ['owner@demo.test', 'agency owner', 'owner of agency 1', PASSWORD],
  ['rep@demo.test', 'representative', 'of the parents of case 1', PASSWORD],
  ['both@demo.test', 'intended parent', 'second parent of case 2', 'Demo-Parent-1!'],
  ['both@demo.test', 'surrogate', 'surrogate of case 2', 'Demo-Surrogate-1!'],
  ['totp@demo.test', 'surrogate', 'asks for a code of an app; case 3', PASSWORD],
  ['mailotp@demo.test', 'intended parent', 'asks for a code by email; case 3', PASSWORD],
  ['smsotp@demo.test', 'intended parent', 'asks for a code by text; case 3', PASSWORD],
  ['totp-admin@demo.test', 'admin', 'Administrator, asks for a code of an app', PASSWORD],
];

/** The addresses that people open: layer, variable with the address, and title. */
const ADDRESSES = [
  ['web', 'WEB_URL', 'Web frontend'],
  ['admin', 'ADMIN_URL', 'Server-rendered application'],
  ['api', 'API_URL', 'JSON API'],
  ['storage', 'STORAGE_URL', 'Development object storage'],
];

/**
 * Shows where the platform is and who can sign in.
 * @param {import('./settings.mjs').Settings} settings
 * @param {boolean} demo whether the demo's accounts are there
 */
export function sayWelcome(settings, demo) {
  const urls = new Map();
  for (const { name, port } of settings.listeners) urls.set(name, `http://${ownHost(settings.host)}:${port}`);
  say('');
  for (const [layer, variable = '', title = ''] of ADDRESSES) {
    if (!urls.has(layer)) continue;
    urls.set(layer, process.env[variable] || urls.get(layer));
    say(`  ${title.padEnd(30)}${urls.get(layer)}`);
  }
  if (demo) {
    say('');
    say('  Demo accounts (admins sign in to the server-rendered application, the others to the web frontend):');
    for (const [email = '', type = '', what = '', password] of ACCOUNTS) {
      say(`  ${email.padEnd(22)}${type.padEnd(17)}${what.padEnd(42)}${password}`);
    }
    saySecrets();
    if (urls.has('web') && urls.has('admin')) sayWhatToTry(urls);
  }
  say('');
}

/** @param {ReadonlyMap<string, string>} urls */
function sayWhatToTry(urls) {
  say('');
  say('  Three things to try:');
  say(`  1. Open ${urls.get('web')}, choose Paige Whitlock, approve a payment, and write to her escrow team.`);
  say(`  2. In another browser, open ${urls.get('admin')}, choose Elena Marsh, and reply. Paige sees it at once.`);
  say(`  3. Open ${urls.get('api')}/docs and make your first call of the API.`);
}

function saySecrets() {
  say('');
  say(`  Authenticator app of totp@ and totp-admin@   ${DEMO_TOTP_SECRET} (now ${demoCode()}, later: npm run demo-code)`);
  say('  Codes by email and text                      in the server-rendered application, under Deliveries');
  say('  X-API-Key of agency 1                        demo-agency-key-1-0123456789abcdef');
}
