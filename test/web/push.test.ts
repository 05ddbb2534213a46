import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/accessibility.ts';
import { openBrowser, openPage, openProfile } from '../support/browser.ts';
import type { CastName } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { signInToWeb } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive } from './alive.ts';
import {
  changeUsedKey,
  clickNotification,
  deliverPush,
  endpointOf,
  givePushService,
  keptPaths,
  shownNotifications,
  untilControlled,
  untilSynced,
  untilUnlocked,
} from './push-browser.ts';

const { webUrl, pool } = await useRealStack(['admin']);

/** The browser of the tests about subscriptions. Each of them begins and ends signed out, without a subscription. */
const subscribing = await openBrowser();
await givePushService(subscribing);

async function signIn(page: Page, path: string, name: CastName = 'parent'): Promise<void> {
  await signInToWeb(page.context(), webUrl, name);
  await page.goto(webUrl + path);
  await untilControlled(page);
}

/** Signs out once the lock is free, because signing out does not wait long for it. */
async function signOut(page: Page): Promise<void> {
  await untilUnlocked(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/login/);
}

const endpoints = async () => {
  const { rows } = await pool.query<{ endpoint: string }>('select endpoint from push_subscription order by id');
  return rows.map(({ endpoint }) => endpoint);
};
const untilStored = (what: string, wanted: (stored: string[]) => boolean) =>
  eventually(what, async () => {
    const stored = await endpoints();
    return wanted(stored) ? stored : undefined;
  });

const PAYLOAD = {
  title: 'New message',
  body: 'Elena Marsh wrote to you.',
  icon: '/icon-192.png',
  data: { url: '/cases' },
  tag: 'message-1',
  requireInteraction: true,
  vibrate: [200, 100, 200],
};

test('[PUSH-10, PUSH-11, NOTIFY-5] notifications are offered after a message; a push is shown with its fields, once for each tag, and clicking it opens its page', async () => {
  const context = await openProfile();
  const page = await openPage(context);
  await signIn(page, '/messages/new');
  await page.getByPlaceholder('What would you like to say or ask?').fill('Has my deposit arrived?');
  await page.getByRole('button', { name: 'Send' }).click();
  const offer = page.getByRole('region', { name: 'Get notified when someone answers?' });
  await offer.waitFor();
  await assertAccessible(page, 'the offer');
  await offer.getByRole('button', { name: 'Not now' }).click();
  await offer.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('Notification.permission'), 'default', 'the page did not ask on its own');

  await context.grantPermissions(['notifications'], { origin: webUrl });
  for (const body of ['first', PAYLOAD.body]) await deliverPush(page, JSON.stringify({ ...PAYLOAD, body }));
  const shown = await eventually('the notification', async () => {
    const list = await shownNotifications(page);
    return list.some(({ body }) => body === PAYLOAD.body) ? list : undefined;
  });
  assert.deepEqual(shown, [PAYLOAD]);

  await clickNotification(context);
  await page.waitForURL(`${webUrl}/cases`);
  await eventually('it is closed', async () => (await shownNotifications(page)).length === 0);

  // A push that cannot be read is shown as well, because browsers revoke the permission after pushes that show nothing.
  await deliverPush(page, '{');
  await eventually('some notification', async () => (await shownNotifications(page)).length === 1);

  const devTools = await context.newCDPSession(page);
  const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
  assert.deepEqual(installabilityErrors, []);
  const denial = { permission: { name: 'notifications' }, setting: 'denied' as const, origin: webUrl };
  await devTools.send('Browser.setPermission', denial);
  await page.goto(`${webUrl}/settings`);
  await page.getByText('Your browser blocks our notifications').waitFor();
  assert.deepEqual(page.faults, []);
  await context.close();
});

test('[PUSH-1, PUSH-2] a person turns notifications on, keeps them over a new key, and signs out of them', async () => {
  await pool.query('delete from push_subscription');
  const page = await openPage(subscribing);
  await signIn(page, '/settings');
  const mine = page.getByRole('region', { name: 'Notifications on this device' });
  const devices = page.getByRole('region', { name: 'Devices with notifications' });
  await untilSynced(page);
  assert.deepEqual(await endpoints(), [], 'permission by itself subscribes no one');
  await mine.getByRole('button', { name: 'Turn on notifications' }).click();
  await devices.getByText('This device').waitFor();
  assert.deepEqual(await endpoints(), [await endpointOf(page)]);

  // The API now has a different key than the subscription.
  const before = await endpointOf(page);
  await changeUsedKey(page);
  await page.reload();
  const [after] = await untilStored('a new subscription', ([first]) => first !== undefined && first !== before);
  assert.deepEqual([await endpointOf(page), (await endpoints()).length], [after, 1]);

  // A subscription that was removed on another device does not come back by itself.
  await devices.getByText('This device').waitFor();
  await pool.query('delete from push_subscription');
  await page.reload();
  await mine.getByRole('button', { name: 'Turn on notifications' }).click();
  await devices.getByRole('button', { name: /^Remove / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop them' }).click();
  await mine.getByRole('button', { name: 'Turn on notifications' }).click();
  const [endpoint] = await untilStored('the subscription', (list) => list.length === 1);

  // Signing out removes the subscription of this browser and of no other device.
  await pool.query(
    `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id, user_agent)
     select user_type, user_id, 'http://127.0.0.1:9/phone', p256dh, auth, vapid_key_id, user_agent from push_subscription`,
  );
  await subscribing.setOffline(true);
  await untilUnlocked(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').getByText('You’re still signed in').waitFor();
  await subscribing.setOffline(false);
  assert.equal(endpoint, await endpointOf(page), 'a person who is still signed in is still notified');
  await signOut(page);
  assert.deepEqual([await endpoints(), await endpointOf(page)], [['http://127.0.0.1:9/phone'], undefined]);
  // The stream of events ends with the session.
  assert.deepEqual(
    page.faults.filter((fault) => !fault.startsWith('Failed to load resource')),
    [],
  );
  await page.close();
});

test('[PAGE-7, NOTIFY-5] preferences are kept, and the frontend says when it is offline and recovers by itself', async () => {
  const context = await openBrowser();
  const page = await openPage(context);
  await signIn(page, '/settings');
  const choice = page.getByRole('checkbox', { name: 'New messages, on your devices' });
  await (await alive(choice)).uncheck();
  await page.getByText('New messages, on your devices: off. Saved.').waitFor();

  await context.setOffline(true);
  await page.reload();
  await page.getByRole('heading', { name: 'We can’t reach our servers' }).waitFor();
  await assertAccessible(page, 'the offline page');
  assert.deepEqual(await keptPaths(page), ['/offline.html'], 'no personal page and no answer of the API is cached');
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  assert.equal(await choice.isChecked(), false);
  await context.close();
});
