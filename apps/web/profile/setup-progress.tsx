import { sentence } from '@case-platform/words/sentence';
import { CircleCheck, CircleDashed } from 'lucide-react';
import type { Profile } from '../api/api-shapes.ts';

/** The fields of a complete profile. Other fields that the API reports as missing are listed after these. */
const REQUIRED = ['first_name', 'last_name', 'phone'];

/** Shows which fields of the profile are missing (ACCOUNT-1); renders nothing once it is complete. */
export function SetupProgress({ status }: { status: Profile['setup_status'] }) {
  if (status.is_fully_setup) return null;
  const missing = new Set(status.missing_fields);
  const all = [...new Set([...REQUIRED, ...status.missing_fields])];
  const done = all.length - missing.size;
  return (
    <section className="notice is-waiting mb-4" aria-labelledby="setup">
      <div>
        <h2 id="setup" className="notice-title">
          Your profile isn’t complete yet: {done} of {all.length}
        </h2>
        <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-small">
          {all.map((field) => (
            <li key={field} className="flex items-center gap-1.5">
              {missing.has(field) ? <CircleDashed size={16} aria-hidden="true" /> : <CircleCheck size={16} aria-hidden="true" />}
              {sentence(field)}
              <span className="sr-only">{missing.has(field) ? ' is missing' : ' is there'}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
