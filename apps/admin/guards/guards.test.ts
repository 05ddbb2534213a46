import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { User } from '@case-platform/modules/accounts';
import { decide, type GuardRule } from './guards.ts';

const FACTS = ['userType', 'permission', 'category', 'caseAccess', 'adminContext'] as const;
type Facts = Record<(typeof FACTS)[number], boolean>;

/** Every combination of the five facts about someone who is signed in. */
const EVERYONE = Array.from({ length: 2 ** FACTS.length }, (_, bits) => {
  const facts = FACTS.map((fact, position) => [fact, ((bits >> position) & 1) === 1]);
  return Object.fromEntries(facts) as Facts;
});

/**
 * Decides about a person for whom exactly these facts are true. A permission that the rule does not require counts as present,
 * also without an admin context.
 */
function decideOn(facts: Facts, guard: GuardRule['guard'], { strict = false, signedIn = true } = {}) {
  const { userType, permission, category, caseAccess: hasCaseAccess, adminContext } = facts;
  const rule: GuardRule = {
    guard,
    options: {
      user_types: userType ? ['owner', 'ip'] : ['owner'],
      ...(permission && !adminContext ? {} : { perm_check: ['approve_drs', 'view_drs'] }),
      ...(category && !adminContext ? {} : { category_check: 'Agencies' }),
      case_id: 'case_id',
    },
  };
  const granted = [...(permission ? ['view_drs'] : []), ...(category ? ['edit_agencies'] : [])];
  const admin = { role_name: null, permissions: new Set<never>(), can: (one: string) => granted.includes(one) };
  const actor = { user: { user_type: 'ip' } as User, admin: adminContext ? admin : null };
  return decide(rule, { actor: signedIn ? actor : null, hasCaseAccess, strict });
}

const holds = (facts: Facts) => facts.userType && facts.permission && facts.category && facts.caseAccess;

describe('the decision of a guard', () => {
  test('[GUARD-3] the page guard fails only when the check fails and there is no admin context', () => {
    for (const facts of EVERYONE) {
      const expected = !holds(facts) && !facts.adminContext ? 'refuse' : 'admit';
      assert.equal(decideOn(facts, 'page').verdict, expected, JSON.stringify(facts));
    }
  });

  test('[GUARD-4] the API guard fails when either the check fails or there is no admin context', () => {
    for (const facts of EVERYONE) {
      const expected = !holds(facts) || !facts.adminContext ? 'refuse' : 'admit';
      for (const strict of [false, true])
        assert.equal(decideOn(facts, 'api', { strict }).verdict, expected, JSON.stringify(facts));
    }
  });

  test('[GUARD-5] STRICT_PAGE_GUARD makes the page guard fail on the check alone', () => {
    for (const facts of EVERYONE) {
      const expected = holds(facts) ? 'admit' : 'refuse';
      assert.equal(decideOn(facts, 'page', { strict: true }).verdict, expected, JSON.stringify(facts));
    }
  });

  test('[GUARD-1, GUARD-3] no one is let in without signing in, even when everything else is true', () => {
    for (const guard of ['page', 'api'] as const)
      for (const facts of EVERYONE) assert.equal(decideOn(facts, guard, { signedIn: false }).verdict, 'sign_in');
  });

  test('[GUARD-2] the check is the result of the four conditions together, each with why', () => {
    for (const facts of EVERYONE) {
      const { authorized, adminContext, checks } = decideOn(facts, 'page');
      const { userType, permission, category, caseAccess } = checks;
      assert.equal(authorized, holds(facts), JSON.stringify(facts));
      const answers = { userType, permission, category, caseAccess };
      for (const name of ['userType', 'permission', 'category', 'caseAccess'] as const)
        assert.equal(answers[name].holds, facts[name], `${name} of ${JSON.stringify(facts)}`);
      assert.equal(adminContext, facts.adminContext);
    }
    const all = decideOn({ userType: true, permission: true, category: true, caseAccess: true, adminContext: true }, 'api');
    assert.deepEqual(all.checks.permission, { required: ['approve_drs', 'view_drs'], present: ['view_drs'], holds: true });
  });
});
