'use client';

import { useRouter } from 'next/navigation';
import { useRef } from 'react';
import type { Case } from '../../api/api-shapes.ts';
import { Field } from '../../look/field.tsx';
import { useEarlyValue } from '../../look/use-early-value.ts';

interface Props {
  id: string;
  cases: readonly Pick<Case, 'id' | 'name'>[];
  caseId: number;
}

/** The choice of the case that a request is for. The form of another case is another page. */
export function CaseChoice({ id, cases, caseId }: Props) {
  const router = useRouter();
  const field = useRef<HTMLSelectElement>(null);
  const choose = (value: string) => router.replace(`/disbursements/new?case_id=${value}`, { scroll: false });
  useEarlyValue(field, String(caseId), choose);
  return (
    <Field id={id} label="Case">
      <select id={id} ref={field} className="select" value={caseId} onChange={(event) => choose(event.target.value)}>
        {cases.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </Field>
  );
}
