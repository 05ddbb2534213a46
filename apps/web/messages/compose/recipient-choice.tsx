'use client';

import { roleWords } from '@case-platform/words/user-types';
import type { UseQueryResult } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { rejectionWords } from '../../api/api-error.ts';
import type { Person, Recipients } from '../../api/api-shapes.ts';
import { Avatar, PersonLine } from '../../look/person.tsx';

interface Props {
  people: UseQueryResult<Recipients>;
  chosen: Person[];
  onChosen: (people: Person[]) => void;
  /** True for staff, who must name recipients (CHAIN-9). For everyone else the escrow specialist is the default. */
  mustChoose: boolean;
  disabled: boolean;
}

/** The recipients of a new message. Most messages go to the escrow specialist, so other people are behind a button. */
export function RecipientChoice({ people, chosen, onChosen, mustChoose, disabled }: Props) {
  const [opened, setOpened] = useState(false);
  const list = people.data?.data ?? [];
  const isChosen = (person: Person) => chosen.some((one) => same(one, person));
  const toggle = (person: Person) =>
    onChosen(isChosen(person) ? chosen.filter((one) => !same(one, person)) : [...chosen, person]);
  return (
    <fieldset className="field min-w-0" disabled={disabled}>
      <legend className="field-label mb-1.5">To</legend>
      <ul className="row-list panel">
        {!mustChoose && (
          <li>
            <label className={ROW}>
              <input type="checkbox" className={BOX} checked={chosen.length === 0} onChange={() => onChosen([])} />
              <span className="person">
                <Avatar name="" staff small />
                <span>
                  <span className="person-name">Your escrow specialist</span>
                  <span className="person-role">Answers questions about your case</span>
                </span>
              </span>
            </label>
          </li>
        )}
        {(opened || mustChoose) &&
          list.map((person) => (
            <li key={`${person.user_type}-${person.user_id}`}>
              <label className={ROW}>
                <input type="checkbox" className={BOX} checked={isChosen(person)} onChange={() => toggle(person)} />
                <PersonLine name={person.name} note={roleWords(person.user_type)} small />
              </label>
            </li>
          ))}
        {!opened && !mustChoose && list.length > 0 && (
          <li>
            <button type="button" className="btn btn-ghost btn-sm m-1.5" onClick={() => setOpened(true)}>
              <UsersRound size={18} aria-hidden="true" />
              Write to other people on this case
            </button>
          </li>
        )}
        <Progress people={people} isEmpty={mustChoose && list.length === 0} />
      </ul>
    </fieldset>
  );
}

const ROW = 'flex min-h-14 items-center gap-3 px-4 py-2';
const BOX = 'checkbox';

function Progress({ people, isEmpty }: { people: Props['people']; isEmpty: boolean }) {
  if (people.isLoading) return <li className="quiet px-4 py-3 text-small">Loading the people on this case…</li>;
  if (people.isError) {
    return (
      <li className="field-error px-4 py-3">
        We couldn’t load the people on this case. {rejectionWords(people.error)}{' '}
        <button type="button" className="link" onClick={() => people.refetch()}>
          Try again
        </button>
      </li>
    );
  }
  return people.isSuccess && isEmpty ? (
    <li className="quiet px-4 py-3 text-small">There’s no one on this case you can write to.</li>
  ) : null;
}

function same(a: Person, b: Person): boolean {
  return a.user_id === b.user_id && a.user_type === b.user_type;
}
