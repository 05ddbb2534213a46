/**
 * The areas of the people's work, across layers: where their code lies, and the black-box tests that ask it from outside.
 * What belongs to no area (`lib`, `db`, a server, the tests' support) can break any of them.
 * @type {Record<string, { code: string[], tests: string[], browser: string[] }>}
 */
export const AREAS = {
  accounts: {
    code: [
      ...['modules/accounts', 'apps/api/accounts', 'apps/admin/sign-in', 'apps/admin/account', 'apps/admin/people'],
      ...['apps/admin/agencies', 'apps/web/session', 'apps/web/sign-in', 'apps/web/profile', 'apps/web/settings'],
    ],
    tests: [
      'test/api/accounts',
      'test/admin/account',
      'test/admin/people',
      'test/admin/agencies',
      'test/admin/second-person.test.ts',
      'test/layers.test.ts',
    ],
    browser: [
      ...[
        'test/web/authentication.test.ts',
        'test/web/account.test.ts',
        'test/web/invitation.test.ts',
        'test/web/two-pages.test.ts',
      ],
      'test/web/cookies.test.ts',
    ],
  },
  permissions: {
    code: [
      'modules/accounts/roles',
      'modules/audit',
      'apps/admin/roles',
      'apps/admin/audit',
      'apps/admin/guards',
      'apps/api/guards',
    ],
    tests: [
      ...['test/admin/roles', 'test/admin/audit', 'test/admin/guards.test.ts', 'test/admin/guard-matrix.test.ts'],
      ...['test/admin/every-permission.test.ts', 'test/admin/second-person.test.ts'],
      ...['test/api/server/guards.test.ts', 'test/api/guard-matrix.test.ts', 'test/access'],
    ],
    browser: [],
  },
  storage: {
    code: ['modules/storage', 'apps/storage', 'apps/web/uploads'],
    tests: [
      'test/storage',
      'test/api/accounts/uploads.test.ts',
      'test/api/accounts/uploads-confirmed.test.ts',
      'test/api/messaging/attachments.test.ts',
    ],
    browser: ['test/web/uploads.test.ts'],
  },
  notifications: {
    code: ['modules/notifications', 'apps/api/notifications', 'apps/admin/deliveries', 'apps/web/push'],
    tests: ['test/api/notifications', 'test/admin/deliveries', 'test/worker'],
    browser: ['test/web/push.test.ts', 'test/web/mail-templates.test.ts'],
  },
  messaging: {
    code: [
      'modules/messaging',
      'modules/live',
      'apps/api/messaging',
      'apps/admin/inbox',
      'apps/admin/home',
      'apps/web/messages',
    ],
    tests: [
      ...['test/api/messaging', 'test/admin/inbox', 'test/admin/home.test.ts', 'test/access'],
      ...['test/worker/notify-message.test.ts', 'test/worker/who-has-left.test.ts'],
    ],
    browser: [
      ...['test/web/story.test.ts', 'test/web/live.test.ts', 'test/web/messages'],
      'test/web/staff-inbox.test.ts',
    ],
  },
  cases: {
    code: [
      ...['modules/cases', 'modules/overview', 'apps/api/cases', 'apps/api/home', 'apps/admin/cases'],
      ...['apps/web/cases', 'apps/web/home'],
    ],
    tests: ['test/api/cases', 'test/api/home', 'test/admin/cases', 'test/access'],
    browser: ['test/web/staff-pages.test.ts'],
  },
  disbursements: {
    code: [
      'modules/disbursements',
      'modules/ledger',
      'apps/api/disbursements',
      'apps/admin/disbursements',
      'apps/web/disbursements',
    ],
    tests: [
      ...['test/api/disbursements', 'test/admin/disbursements', 'test/worker/money-mails.test.ts', 'test/access'],
      ...['test/money', 'test/admin/second-person.test.ts'],
    ],
    browser: ['test/web/money.test.ts', 'test/web/money'],
  },
  banking: {
    code: [
      ...['modules/banking', 'apps/api/statements', 'apps/admin/batches', 'apps/admin/payments'],
      ...['apps/web/statements', 'apps/web/proof'],
    ],
    tests: [
      ...['test/api/statements', 'test/admin/batches', 'test/admin/payments', 'test/money'],
      ...['test/api/accounts/bank-account.test.ts', 'test/admin/second-person.test.ts'],
    ],
    browser: ['test/web/money.test.ts', 'test/web/money'],
  },
  machines: {
    code: ['apps/api/machines'],
    tests: ['test/api/server', 'test/worker/platform-pushes.test.ts'],
    browser: [],
  },
  pages: {
    code: ['apps/web/app', 'apps/web/api', 'apps/web/server', 'apps/web/shell', 'apps/web/look', 'apps/web/public'],
    tests: [],
    browser: [
      'test/web/pages.test.ts',
      'test/web/any-request.test.ts',
      'test/web/body-limits.test.ts',
      'test/web/limits.test.ts',
      'test/web/open-paths.test.ts',
    ],
  },
  'staff pages': {
    code: ['apps/admin/page', 'apps/admin/form', 'apps/admin/assets'],
    tests: [
      ...['test/admin/styles.test.ts', 'test/admin/forms.test.ts', 'test/admin/whole-form.test.ts'],
      'test/admin/home.test.ts',
    ],
    browser: ['test/admin/accessibility.test.ts'],
  },
  worker: {
    code: ['apps/worker'],
    tests: ['test/worker/run-worker.test.ts', 'test/worker/reconnect.test.ts'],
    browser: [],
  },
  scripts: {
    code: ['scripts', 'bench', 'chaos', 'deploy'],
    tests: ['test/operate'],
    browser: ['test/web/metrics.test.ts', 'test/web/two-of-each.test.ts'],
  },
};
