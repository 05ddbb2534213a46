import 'server-only';
import type { Metadata } from 'next';
import { cache } from 'react';
import type { CaseDetails } from '../api/api-shapes.ts';
import { idInPath } from '../messages/chain-paths.ts';
import { apiServer } from '../session/api-server.ts';

interface Props {
  params: Promise<{ id: string }>;
}

/** The page and its title read it once. */
export const readCase = cache((id: number) => apiServer<CaseDetails>(`/api/cases/${id}`));

/** Puts the name of the case into the tab and the browser's history. */
export const caseMetadata = titledByCase((name) => name, 'Case');

/** Creates the metadata of a page about a case. @param otherwise the title if the case cannot be read. */
export function titledByCase(title: (name: string) => string, otherwise: string) {
  return async ({ params }: Props): Promise<Metadata> => {
    const id = idInPath((await params).id);
    const answer = id === null ? null : await readCase(id);
    return { title: answer?.ok ? title(answer.data.name) : otherwise };
  };
}
