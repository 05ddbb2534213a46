import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Facts } from './decide.ts';

const FACTS = ['userType', 'permission', 'category', 'caseAccess', 'adminContext'] as const;

/** Every combination of the five facts about someone who is signed in. */
function everyone(): Facts[] {
  return Array.from({ length: 2 ** FACTS.length }, (_, bits) => {
    const facts = Object.fromEntries(FACTS.map((fact, position) => [fact, ((bits >> position) & 1) === 1]));
    return { ...(facts as Omit<Facts, 'signedIn'>), signedIn: true };
  });
}

const holds = (facts: Facts) => facts.userType && facts.permission && facts.category && facts.caseAccess;

test('[Server-rendered application 4] the page guard fails only when the check fails and there is no admin context', () => {
  for (const facts of everyone()) {
    const expected = !holds(facts) && !facts.adminContext ? 'refuse' : 'admit';
    assert.equal(decide('page', facts, { strict: false }), expected, JSON.stringify(facts));
  }
});

test('[Server-rendered application 5] the API guard fails when either the check fails or there is no admin context', () => {
  for (const facts of everyone()) {
    const expected = !holds(facts) || !facts.adminContext ? 'refuse' : 'admit';
    for (const strict of [false, true]) {
      assert.equal(decide('api', facts, { strict }), expected, JSON.stringify(facts));
    }
  }
});

test('[Server-rendered application 4] STRICT_PAGE_GUARD makes the page guard fail on the check alone', () => {
  for (const facts of everyone()) {
    assert.equal(decide('page', facts, { strict: true }), holds(facts) ? 'admit' : 'refuse', JSON.stringify(facts));
  }
});

test('[Server-rendered application 8] nobody is admitted without signing in, whatever else is true', () => {
  for (const guard of ['page', 'api'] as const) {
    for (const facts of everyone()) {
      assert.equal(decide(guard, { ...facts, signedIn: false }, { strict: false }), 'sign_in');
    }
  }
});
