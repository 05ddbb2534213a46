import type { Metadata } from 'next';
import { ErrorState } from '../../../components/error-state.tsx';
import { Notice } from '../../../components/notice.tsx';
import { PageFrame } from '../../../components/page-frame.tsx';
import { Avatar } from '../../../components/person.tsx';
import { apiServer } from '../../../lib/api-server.ts';
import type { Profile } from '../../../lib/api-shapes.ts';
import { sentence } from '../../../lib/chain-words.ts';
import { requireMe } from '../../../lib/session.ts';
import { roleWords } from '../../../lib/user-types.ts';

export const metadata: Metadata = { title: 'Profile' };

/** What the platform knows about me. */
export default async function ProfilePage() {
  const me = await requireMe();
  const answer = await apiServer<Profile>('/api/user/me');
  return (
    <PageFrame title="Profile" narrow>
      {answer.ok ? (
        <Details profile={answer.data} name={me.name} />
      ) : (
        <ErrorState title="We could not load your profile" text="Nothing has changed in it. Try again." />
      )}
    </PageFrame>
  );
}

function Details({ profile, name }: { profile: Profile; name: string }) {
  const rows = [
    ['Role', roleWords(profile.user_type)],
    ['Email address', profile.email_address],
    ['Phone', profile.phone ?? 'Not given yet'],
    ['Time zone', profile.timezone?.replaceAll('_', ' ') ?? 'Not given yet'],
  ];
  const { is_fully_setup, missing_fields } = profile.setup_status;
  return (
    <>
      {!is_fully_setup && missing_fields.length > 0 && (
        <Notice kind="waiting" title="Your profile is not complete yet" className="mb-6">
          Still missing: {missing_fields.map(missingWords).join(', ')}.
        </Notice>
      )}
      <div className="panel">
        <div className="flex items-center gap-4 border-b border-hairline p-5">
          <Avatar name={name} staff={profile.user_type === 'admin'} />
          <h2 className="text-title font-semibold">{name}</h2>
        </div>
        <dl>
          {rows.map(([label, value]) => (
            <div
              key={label}
              className="grid gap-x-4 border-hairline px-5 py-3 not-last:border-b sm:grid-cols-[10rem_1fr]"
            >
              <dt className="quiet">{label}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p className="quiet mt-4 text-small">
        Something is not right? Write to your escrow specialist, who can correct it.
      </p>
    </>
  );
}

function missingWords(field: string): string {
  const words = sentence(field);
  return words.charAt(0).toLowerCase() + words.slice(1);
}
