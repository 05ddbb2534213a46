import { SquarePen } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { CaseDocuments } from '../../../../components/case-documents.tsx';
import { ChainList } from '../../../../components/chain-list.tsx';
import { ErrorState } from '../../../../components/error-state.tsx';
import { PageFrame } from '../../../../components/page-frame.tsx';
import { PersonLine } from '../../../../components/person.tsx';
import { apiServer } from '../../../../lib/api-server.ts';
import type { Case, CaseDocument, Chain, Page, Person, Recipients } from '../../../../lib/api-shapes.ts';
import { chainsPath, idInPath } from '../../../../lib/chain-paths.ts';
import { caseState } from '../../../../lib/chain-words.ts';
import { requireMe } from '../../../../lib/session.ts';
import { roleWords } from '../../../../lib/user-types.ts';

export const metadata: Metadata = { title: 'Case' };

interface Props {
  params: Promise<{ id: string }>;
}

/** One case: its state, its people, and what is being said about it. */
export default async function CasePage({ params }: Props) {
  const me = await requireMe();
  const id = idInPath((await params).id);
  if (id === null) notFound();
  const [cases, people, chains, documents] = await Promise.all([
    apiServer<Page<Case>>('/api/cases?limit=100'),
    apiServer<Recipients>(`/api/messages/recipients?case_id=${id}`),
    apiServer<Page<Chain>>(chainsPath({ caseId: id })),
    apiServer<Page<CaseDocument>>(`/api/cases/${id}/documents`),
  ]);
  if (!cases.ok) {
    return (
      <PageFrame title="Case">
        <ErrorState title="We could not load this case" text="Nothing has changed about it. Try again." />
      </PageFrame>
    );
  }
  const found = cases.data.data.find((one) => one.id === id);
  if (found === undefined) notFound();
  const state = caseState(found.status);
  const write = `/messages/new?case=${id}`;
  return (
    <PageFrame
      title={found.name}
      lead={<span className={`state-pill ${state.mark}`}>{state.words}</span>}
      action={
        <Link className="btn btn-primary" href={write}>
          <SquarePen size={18} aria-hidden="true" />
          Write a message
        </Link>
      }
    >
      {people.ok && people.data.data.length > 0 && <People people={people.data.data} />}
      <section>
        <h2 className="section-title">Messages</h2>
        <div className="panel overflow-hidden">
          <ChainList
            me={me}
            filter={{ caseId: id }}
            initial={chains.ok ? chains.data : undefined}
            emptyText="Nobody has written about this case yet."
            newHref={write}
          />
        </div>
      </section>
      {documents.ok && <CaseDocuments caseId={id} initial={documents.data} />}
    </PageFrame>
  );
}

function People({ people }: { people: Person[] }) {
  return (
    <section>
      <h2 className="section-title">People on this case</h2>
      <ul className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {people.map((person) => (
          <li key={`${person.user_type}-${person.user_id}`}>
            <PersonLine name={person.name} note={roleWords(person.user_type)} staff={person.user_type === 'admin'} />
          </li>
        ))}
      </ul>
    </section>
  );
}
