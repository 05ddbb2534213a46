/**
 * The areas of the product across layers, each with the folders of its code and the black-box tests that call it, separated by
 * spaces. Code that belongs to no area (`lib`, `db`, a server, the tests' support) can break any of them.
 */
const PATHS = {
  accounts: `
    modules/accounts apps/api/accounts apps/admin/sign-in apps/admin/account apps/admin/people apps/admin/agencies
    apps/web/session apps/web/sign-in apps/web/profile apps/web/settings test/api/accounts test/admin/account
    test/admin/people test/admin/agencies test/admin/second-person.test.ts test/layers.test.ts
    test/web/sign-in.test.ts test/web/two-pages.test.ts test/web/cookies.test.ts test/web/deployed.test.ts`,
  permissions: `
    modules/accounts/roles modules/audit apps/admin/roles apps/admin/audit apps/admin/guards apps/api/guards test/admin/roles
    test/admin/audit test/admin/guards.test.ts test/admin/guard-matrix.test.ts test/admin/every-permission.test.ts
    test/admin/second-person.test.ts test/api/server/guards.test.ts test/api/guard-matrix.test.ts test/access`,
  storage: `
    modules/storage apps/storage apps/web/uploads test/storage test/api/accounts/uploads.test.ts
    test/api/accounts/picture-ends.test.ts test/api/messaging/attachments.test.ts test/web/uploads.test.ts`,
  notifications: `
    modules/notifications apps/api/notifications apps/admin/deliveries apps/web/push test/api/notifications
    test/admin/deliveries test/worker test/web/push.test.ts test/web/mail-templates.test.ts`,
  messaging: `
    modules/messaging modules/live apps/api/messaging apps/admin/inbox apps/admin/home apps/web/messages apps/web/live
    apps/web/drafts test/api/messaging test/admin/inbox test/admin/home.test.ts
    test/admin/message-limits.test.ts test/access test/worker/notify-message.test.ts test/worker/who-has-left.test.ts
    test/web/live.test.ts test/web/messages test/web/staff-inbox.test.ts`,
  cases: `
    modules/cases modules/overview apps/api/cases apps/api/home apps/admin/cases apps/web/cases apps/web/home test/api/cases
    test/api/home test/admin/cases test/access test/web/staff-pages.test.ts`,
  disbursements: `
    modules/disbursements modules/ledger apps/api/disbursements apps/admin/disbursements apps/web/disbursements
    apps/web/live apps/web/drafts test/api/disbursements test/admin/disbursements test/worker/money-mails.test.ts test/access
    test/money test/admin/second-person.test.ts test/web/money.test.ts test/web/money`,
  banking: `
    modules/banking apps/api/statements apps/admin/batches apps/admin/payments apps/web/statements apps/web/proof
    test/api/statements test/admin/batches test/admin/payments test/money test/api/accounts/bank-account.test.ts
    test/admin/second-person.test.ts test/access/each-part.test.ts test/access/own-parts.test.ts
    test/web/money.test.ts test/web/money`,
  machines: `
    apps/api/machines apps/api/docs test/api/server test/worker/platform-pushes.test.ts`,
  pages: `
    apps/web/app apps/web/api apps/web/server apps/web/shell apps/web/look apps/web/public apps/web/test-page test/web/pages.test.ts
    test/web/stable-line.test.ts test/web/any-request.test.ts test/web/body-limits.test.ts test/web/every-page.test.ts
    test/web/open-paths.test.ts`,
  'staff pages': `
    apps/admin/page apps/admin/form apps/admin/assets apps/admin/browser test/admin/styles.test.ts test/admin/forms.test.ts
    test/admin/browser-scripts.test.ts test/admin/every-form.test.ts test/admin/every-page.test.ts test/admin/whole-form.test.ts
    test/admin/home.test.ts test/admin/accessibility.test.ts`,
  worker: `
    apps/worker test/worker/run-worker.test.ts test/worker/reconnect.test.ts`,
  scripts: `
    scripts bench chaos deploy test/operate test/web/deployed.test.ts test/web/two-of-each.test.ts`,
};

/** @type {Record<string, string[]>} the paths of each area */
export const AREAS = Object.fromEntries(Object.entries(PATHS).map(([name, paths]) => [name, paths.split(/\s+/).filter(Boolean)]));
