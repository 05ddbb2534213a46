import { recordAudit } from '@case-platform/lib/audit';
import { type Database, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { type InvalidInputError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { parseText } from '@case-platform/lib/text/typed-text';
import type { ChangedByUser, User } from '@case-platform/modules/accounts';
import { findCase, parseAmount, parseCategory, requireOpenCase } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from '@case-platform/modules/ledger';
import { OTHER_CATEGORY } from '@case-platform/words/categories';
import { BENEFITS_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { BENEFIT_PERIODS, type Benefit } from './benefit.ts';
import { findForeignLetter, looksOf } from './look-alikes.ts';

/**
 * Sets all contract limits of a case (CONTRACT-1). The caller's guard checks `edit_benefits`.
 * @throws {NotFoundError} for a case that the actor does not see. @throws {InvalidInputError} for an invalid limit, and for two
 * categories that look alike.
 * @throws {ConflictError} `case_closed`.
 */
export function setBenefits(db: Database, caseId: number, benefits: readonly Benefit[], by: ChangedByUser): Promise<void> {
  return changeBenefits(db, caseId, by, () => benefits);
}

/** Adds one contract limit. @throws {InvalidInputError} `category` if there is one for it already. @throws as `setBenefits`. */
export function addBenefit(db: Database, caseId: number, benefit: Benefit, by: ChangedByUser): Promise<void> {
  return changeBenefits(db, caseId, by, (present) => [...present, benefit]);
}

/** Changes the contract limit of a category. @throws {NotFoundError} for an unknown category. @throws as `setBenefits`. */
export function changeBenefit(db: Database, caseId: number, benefit: Benefit, by: ChangedByUser): Promise<void> {
  return changeBenefits(db, caseId, by, (present) => [...without(present, benefit.category), benefit]);
}

/** Removes a contract limit. @throws {NotFoundError} for an unknown category. @throws as `setBenefits`. */
export function removeBenefit(db: Database, caseId: number, category: string, by: ChangedByUser): Promise<void> {
  return changeBenefits(db, caseId, by, (present) => without(present, category));
}

const keyOf = (category: string) => category.toLowerCase();

function without(present: readonly Benefit[], category: string): Benefit[] {
  const others = present.filter((one) => keyOf(one.category) !== keyOf(category));
  if (others.length === present.length) throw new NotFoundError();
  return others;
}

/** Locks the case, so that changes of limits and decisions about requests run one after the other. */
async function changeBenefits(
  db: Database,
  caseId: number,
  by: ChangedByUser,
  nextOf: (present: readonly Benefit[]) => readonly Benefit[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const lockedCase = await lockSeenCase(tx, by.actor, caseId);
    requireOpenCase(lockedCase);
    const present = await query<Benefit>(
      tx,
      sql`select category, period, cap_cents, note, compensation from case_benefit where case_id = ${caseId} order by lower(category)`,
    );
    await writeBenefits(tx, lockedCase, { present, next: parseBenefits(nextOf(present)) }, by);
  });
}

async function lockSeenCase(tx: Transaction, actor: User, caseId: number): Promise<LockedCase> {
  const lockedCase = await lockCase(tx, caseId);
  if (lockedCase === undefined || (await findCase(tx, actor, caseId)) === null) throw new NotFoundError();
  return lockedCase;
}

async function writeBenefits(
  tx: Transaction,
  { id: case_id, name }: LockedCase,
  { present, next }: Record<'present' | 'next', readonly Benefit[]>,
  by: ChangedByUser,
): Promise<void> {
  const [before, after] = [present, next].map((some) => new Map(some.map((one) => [keyOf(one.category), one])));
  for (const key of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
    const [was = null, is = null] = [before?.get(key), after?.get(key)];
    if (isSame(was, is)) continue;
    if (was !== null) await query(tx, sql`delete from case_benefit where case_id = ${case_id} and category = ${was.category}`);
    if (is !== null) {
      const { category, period, cap_cents, note, compensation } = is;
      await query(
        tx,
        sql`insert into case_benefit (case_id, category, period, cap_cents, note, compensation)
            values (${case_id}, ${category}, ${period}, ${cap_cents}, ${note}, ${compensation})`,
      ).catch((error) => {
        // To the database, some letters are equal that differ here, such as the two small sigmas.
        throw isUniqueViolation(error, 'case_benefit_category_idx') ? alreadyThere(category) : error;
      });
    }
    await query(tx, sql`select announce_case(${case_id}, null)`);
    await recordAudit(tx, {
      ...by,
      action: was === null ? 'case.add_benefit' : is === null ? 'case.remove_benefit' : 'case.change_benefit',
      subject_id: case_id,
      subject_label: name,
      case_id,
      before: was && { ...was },
      after: is && { ...is },
    });
  }
}

function isSame(was: Benefit | null, is: Benefit | null): boolean {
  const names = ['category', 'period', 'cap_cents', 'note', 'compensation'] as const;
  return names.every((name) => was?.[name] === is?.[name]);
}

function parseBenefits(benefits: readonly Benefit[]): Benefit[] {
  if (benefits.length > BENEFITS_MAX) throw invalid('category', `A case can have up to ${BENEFITS_MAX} contract limits.`);
  const checked = benefits.map(parseBenefit);
  const keys = new Set<string>();
  for (const { category } of checked) {
    if (keys.has(keyOf(category))) throw alreadyThere(category);
    keys.add(keyOf(category));
  }
  for (const [index, { category }] of checked.entries()) requireDistinct(category, checked.slice(0, index));
  return checked;
}

/** Requires a category to look different from earlier ones and from `Other` (CATEGORY-2). A new category is the last one. */
function requireDistinct(category: string, earlier: readonly Benefit[]): void {
  const letter = findForeignLetter(category);
  if (letter !== null)
    throw invalid('category', `“${letter}” in “${category}” is a letter of another alphabet. Type the name again.`);
  const others = [...earlier.map((one) => one.category), OTHER_CATEGORY].filter((other) => other !== category);
  const twin = others.find((other) => looksOf(other) === looksOf(category));
  if (twin !== undefined)
    throw invalid('category', `“${category}” looks like “${twin}”. Use that one, or choose a name that differs more.`);
}

function alreadyThere(category: string): InvalidInputError {
  return invalid('category', `There’s already a contract limit for ${category}.`);
}

function parseBenefit({ category, period, cap_cents, note, compensation }: Benefit): Benefit {
  if (!BENEFIT_PERIODS.includes(period)) throw invalid('period', 'Choose what the cap is for.');
  parseAmount('cap_cents', cap_cents);
  const text = parseText(note, { field: 'note', label: 'The note', max: DESCRIPTION_MAX });
  return { category: parseCategory(category), period, cap_cents, note: text, compensation };
}
