import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PushStep, planPush } from './push-plan.ts';

const ME = 7;
const mine = { user_id: ME, digest: 'aa' };
const theirs = { user_id: 8, digest: 'aa' };
const upToDate = { needs_renewal: false };

test('[PUSH-13] on a visit the browser and the API are synchronized for the person who turned notifications on', () => {
  const cases: [string, Omit<Parameters<typeof planPush>[0], 'isShared'>, PushStep][] = [
    ['never on', { me: ME, owner: null, digest: null, sameKey: true, device: undefined }, 'nothing'],
    ['all is well', { me: ME, owner: mine, digest: 'aa', sameKey: true, device: upToDate }, 'nothing'],
    ['forgotten here', { me: ME, owner: null, digest: 'aa', sameKey: true, device: upToDate }, 'note'],
    ['lost here', { me: ME, owner: mine, digest: null, sameKey: true, device: undefined }, 'renew'],
    ['another VAPID key', { me: ME, owner: mine, digest: 'aa', sameKey: false, device: upToDate }, 'renew'],
    ['refused', { me: ME, owner: mine, digest: 'aa', sameKey: true, device: { needs_renewal: true } }, 'renew'],
    ['a new address', { me: ME, owner: mine, digest: 'bb', sameKey: true, device: undefined }, 'register'],
    ['a new address, old key', { me: ME, owner: mine, digest: 'bb', sameKey: false, device: undefined }, 'renew'],
    ['removed elsewhere', { me: ME, owner: mine, digest: 'aa', sameKey: true, device: undefined }, 'leave'],
    ['a leftover', { me: ME, owner: null, digest: 'aa', sameKey: true, device: undefined }, 'leave'],
    ["another person's", { me: ME, owner: theirs, digest: 'aa', sameKey: true, device: undefined }, 'leave'],
    ['of my other record too', { me: ME, owner: theirs, digest: 'aa', sameKey: true, device: upToDate }, 'note'],
  ];
  for (const [name, situation, step] of cases) assert.equal(planPush({ ...situation, isShared: false }), step, name);
});

test('[PUSH-13] the subscription of another record of the same person is not touched', () => {
  const shared = { me: ME, digest: 'aa', sameKey: true, isShared: true };
  const cases: [string, Parameters<typeof planPush>[0], PushStep][] = [
    ['only theirs', { ...shared, owner: theirs, device: undefined }, 'nothing'],
    ['theirs, after a sign-out here', { ...shared, owner: null, device: undefined }, 'nothing'],
    ['removed elsewhere', { ...shared, owner: mine, device: undefined }, 'forget'],
    ['mine as well', { ...shared, owner: theirs, device: upToDate }, 'note'],
  ];
  for (const [name, situation, step] of cases) assert.equal(planPush(situation), step, name);
});
