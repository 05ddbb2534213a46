import { sentence } from '@case-platform/words/sentence';
import { CircleCheck, CircleDashed } from 'lucide-react';
import type { Profile } from '../api/api-shapes.ts';

/** What a whole profile has; the API may ask for more, which then stands below these. */
const KNOWN = ['first_name', 'last_name', 'phone'];

/** How far the set-up of an account has come; nothing once it is whole. */
export function SetupProgress({ status }: { status: Profile['setup_status'] }) {
  if (status.is_fully_setup) return null;
  const missing = new Set(status.missing_fields);
  const all = [...new Set([...KNOWN, ...status.missing_fields])];
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
              {missing.has(field) ? (
                <CircleDashed size={16} aria-hidden="true" />
              ) : (
                <CircleCheck size={16} aria-hidden="true" />
              )}
              {sentence(field)}
              <span className="sr-only">{missing.has(field) ? ' is missing' : ' is there'}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
