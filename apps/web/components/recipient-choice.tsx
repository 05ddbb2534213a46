'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import type { Person } from '../lib/api-shapes.ts';
import { roleWords } from '../lib/user-types.ts';
import { PersonLine } from './person.tsx';

interface Props {
  people: UseQueryResult<{ data: Person[] }>;
  chosen: Person[];
  onChosen: (people: Person[]) => void;
  /** Staff name the people they write to; for everybody else the escrow specialist is the default. */
  mustChoose: boolean;
  disabled: boolean;
}

/** Whom a new message goes to. */
export function RecipientChoice({ people, chosen, onChosen, mustChoose, disabled }: Props) {
  const list = people.data?.data ?? [];
  const isChosen = (person: Person) => chosen.some((one) => same(one, person));
  const toggle = (person: Person) =>
    onChosen(isChosen(person) ? chosen.filter((one) => !same(one, person)) : [...chosen, person]);
  return (
    <fieldset className="field min-w-0" disabled={disabled}>
      <legend className="field-label mb-1.5">To</legend>
      <div className="panel">
        <ul className="row-list">
          {!mustChoose && (
            <li>
              <label className="flex min-h-14 items-center gap-3 px-4 py-2">
                <input
                  type="checkbox"
                  className="checkbox checkbox-sm checkbox-primary"
                  checked={chosen.length === 0}
                  onChange={() => onChosen([])}
                />
                <PersonLine name="Your escrow specialist" note="Reads every message of your case" staff small />
              </label>
            </li>
          )}
          {list.map((person) => (
            <li key={`${person.user_type}-${person.user_id}`}>
              <label className="flex min-h-14 items-center gap-3 px-4 py-2">
                <input
                  type="checkbox"
                  className="checkbox checkbox-sm checkbox-primary"
                  checked={isChosen(person)}
                  onChange={() => toggle(person)}
                />
                <PersonLine name={person.name} note={roleWords(person.user_type)} small />
              </label>
            </li>
          ))}
        </ul>
        {people.isLoading && <p className="quiet px-4 py-3 text-small">Looking for the people of this case…</p>}
        {people.isError && (
          <p className="field-error px-4 py-3">
            We could not load the people of this case.{' '}
            <button type="button" className="link" onClick={() => people.refetch()}>
              Try again
            </button>
          </p>
        )}
        {mustChoose && list.length === 0 && people.isSuccess && (
          <p className="quiet px-4 py-3 text-small">There is nobody on this case to write to.</p>
        )}
      </div>
    </fieldset>
  );
}

function same(a: Person, b: Person): boolean {
  return a.user_id === b.user_id && a.user_type === b.user_type;
}
