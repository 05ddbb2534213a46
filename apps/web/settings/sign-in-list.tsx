import { browserWords, isHandheld } from '@case-platform/words/devices';
import { Monitor, Smartphone } from 'lucide-react';
import type { SignInRecord } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';

/** The last sign-ins with device and address, so that people notice one that was not theirs (SIGN-IN-11). */
export function SignInList({ records }: { records: readonly SignInRecord[] }) {
  return (
    <section className="panel pt-5" aria-labelledby="sign-ins">
      <div className="px-5">
        <h2 id="sign-ins" className="font-medium">
          Recent sign-ins
        </h2>
        <p className="quiet mt-1 mb-4 text-small">
          Don’t recognize one of these? Change your password now, then message your escrow specialist.
        </p>
      </div>
      {records.length === 0 ? (
        <p className="quiet border-t border-hairline px-5 py-4 text-small">No sign-ins have been recorded yet.</p>
      ) : (
        <ul className="border-t border-hairline">
          {records.map((record) => (
            <SignIn key={record.id} record={record} />
          ))}
        </ul>
      )}
    </section>
  );
}

function SignIn({ record: { layer, ip_address, user_agent, signed_in_at } }: { record: SignInRecord }) {
  const Icon = isHandheld(user_agent) ? Smartphone : Monitor;
  return (
    <li className="flex items-center gap-4 border-hairline px-5 py-3 not-last:border-b">
      <Icon className="quiet shrink-0" size={20} strokeWidth={1.75} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p title={user_agent === '' ? undefined : user_agent}>{browserWords(user_agent)}</p>
        <p className="quiet text-small wrap-anywhere">
          {layer === 'admin' ? 'Staff application' : 'Website'}
          {ip_address !== null && (
            <>
              {' · '}
              <span className="mono">{ip_address}</span>
            </>
          )}
        </p>
      </div>
      <Time at={signed_in_at} className="quiet text-small whitespace-nowrap tabular-nums" />
    </li>
  );
}
