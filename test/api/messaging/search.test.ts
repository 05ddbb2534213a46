import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { indexWords } from '@case-platform/lib/database/index-words';
import { searchVector } from '@case-platform/lib/database/search-vector';
import { cleanText } from '@case-platform/lib/text/human-text';
import { findSnippets, SEARCHED_CONVERSATIONS } from '@case-platform/modules/messaging';
import fc from 'fast-check';
import { parseSearch } from '../../../modules/messaging/search/parse-search.ts';
import { anyText } from '../../support/any-text.ts';
import { CASE_1 } from '../../support/cast.ts';
import { vacuumAnalyze } from '../../support/database.ts';
import { SAMPLES } from '../../support/file-samples.ts';
import { grant } from '../../support/grant.ts';
import { type Client, findCastMember, startApi } from '../../support/platform.ts';
import { inOpenTransaction } from '../../support/run-overlapping.ts';

const api = await startApi();
await grant(api.pool, 'viewer', 'view_messages');
const { parent, escrow, viewer, bothSurrogate: stranger } = await api.everyone();

// Conversations are assigned only to admins who may read them (CHAIN-15), so the demo's viewer gets the permission.
await api.pool.query(
  `insert into admin_role_permission (admin_role_id, permission)
   select admin_role_id, 'view_messages' from user_account where id = $1 on conflict do nothing`,
  [viewer.userId],
);
const find = async (who: Client, query: string): Promise<number[]> =>
  (await who.get(`/api/messages?limit=100&${query}`)).body.data.map((chain: { id: number }) => chain.id);

async function start(who: Client, fields: Record<string, string>, files: Parameters<Client['form']>[2] = []) {
  const { status, body } = await who.form('/api/messages', fields, files);
  assert.equal(status, 201, JSON.stringify(body));
  return { chainId: body.chain.id as number, messageId: body.message.id as number };
}

describe('searching', () => {
  test('[CHAIN-17] a search finds words of subjects and messages, phrases, exclusions, and the beginning of the last word', async () => {
    const { chainId } = await start(parent, {
      subject: 'Invoice of the Meadow clinic',
      message: 'The amount of 1,250.00 is due on Friday',
      case_id: String(CASE_1),
    });
    for (const q of ['meadow', 'MEADOW', 'mead', 'friday', '"due on friday"', 'invoice mead', 'meadow -monday', '1,250.00']) {
      assert.ok((await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId), q);
      assert.ok((await find(escrow, `q=${encodeURIComponent(q)}`)).includes(chainId), q);
    }
    for (const q of ['due -friday', 'meado meadow-x', '"friday on due"', 'adow']) {
      assert.ok(!(await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId), q);
    }
    assert.ok(!(await find(stranger, 'q=meadow')).includes(chainId), "no one else's search finds it");
    assert.ok(!(await find(viewer, 'q=meadow')).includes(chainId));
    for (const q of ["'", '"', '\\', ':*', '!', '(', '&', '<->', ' ', "a:* | b'", 'é'.repeat(100)]) {
      assert.equal((await parent.get(`/api/messages?q=${encodeURIComponent(q)}`)).status, 200, q);
      assert.equal((await escrow.get(`/api/messages?q=${encodeURIComponent(q)}`)).status, 200, q);
    }
  });

  test('[CHAIN-17, API-12] signs, accents, and scripts make no difference to what is found', async () => {
    const { chainId } = await start(parent, {
      subject: 'Whitlock-Lindgren',
      message: `She wrote “starling payment”; rent—kestrel •plover for Sarah’s wife/husband, José at the Cafe\u0301.
        https://portal.example.test/claims/4711 jane.o’brien@mail.test scan_2026-Invoice.pdf 我喜欢中文课 İĞNE ΟΔΟΣ`,
      case_id: String(CASE_1),
    });
    const queries = [
      [
        'starling',
        'kestrel',
        'plover',
        "Sarah's",
        'sarah‘s',
        'sarahs',
        'Cafe\u0301',
        'café',
        'cafe',
        'jose',
        'husband',
        'wife/husband',
      ],
      [
        'claims',
        '4711',
        'portal.example',
        'https://portal.example.test/claims',
        "jane.o'brien@mail.test",
        "o'brien",
        'obrien',
        'brien',
      ],
      [
        'invoice',
        'scan_2026-invoice.pdf',
        '2026',
        '中文',
        '喜欢',
        '课',
        'igne',
        'οδός',
        'Whitlock-Lin',
        'whitlocklind',
        'Whitlock–Lindgren',
      ],
      ['“starling payment”', '“starling payment” plov', 'zebra or plover', 'ｐｌｏｖｅｒ'],
    ].flat();
    for (const q of queries) assert.ok((await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId), q);
    for (const q of ['arling', '课中', '中课', 'lindgren-whitlock', '“payment starling”', 'plover -starling', 'zebra or kiwi'])
      assert.ok(!(await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId), q);
    assert.ok((await find(escrow, `q=${encodeURIComponent('中文')}`)).includes(chainId));
  });

  test('[API-12] a text in any script is found by each of its words', async () => {
    const texts = fc.sample(anyText, { numRuns: 400, seed: 37 }).map(cleanText);
    const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
    const searches = texts.flatMap((text) =>
      [...segmenter.segment(text)]
        .filter(({ isWordLike }) => isWordLike === true)
        .map(({ segment }) => ({ text, segment, vector: searchVector(text), query: parseSearch(segment).query })),
    );
    // Arrays of a thousand texts would be too long for one message of a failed test.
    const { rows } = await api.pool.query(
      'select text, segment from json_to_recordset($1) as s (text text, segment text, vector tsvector, query tsquery) where not vector @@ query limit 5',
      [JSON.stringify(searches.filter(({ query }) => query !== null))],
    );
    assert.deepEqual(rows, []);
    assert.ok(searches.length > 500 && searches.filter(({ query }) => query === null).length < 20, String(searches.length));
  });

  test('[CHAIN-21] operators narrow a search to messages of a sender, a case, or a time, and to files', async () => {
    const first = await start(parent, { message: 'Wombat one', case_id: String(CASE_1) }, [
      { name: 'a.txt', type: 'text/plain', content: Buffer.from('x') },
    ]);
    const second = await start(parent, { subject: 'Wombats', message: 'Two of them', case_id: String(CASE_1) });
    await escrow.form(`/api/messages/${second.chainId}`, { message: 'Three' });
    const old = await start(parent, { message: 'Wombat of old', case_id: String(CASE_1) });
    await api.pool.query(`update message set created_at = '2025-03-09T12:00:00Z' where id = $1`, [old.messageId]);
    await api.pool.query(
      `update message_chain set created_at = '2025-03-01T12:00:00Z', last_message_at = '2025-04-01T12:00:00Z' where id = $1`,
      [old.chainId],
    );
    const mine = [first.chainId, second.chainId, old.chainId].sort();
    for (const [q, ids] of [
      ['wombat', mine],
      ['wombat from:me', mine],
      ['wombat from:ME', mine],
      ['wombat from:"Paige Whit"', mine],
      ['wombat from:sarah', []],
      ['wombat has:file', [first.chainId]],
      ['has:file wombat case:1', [first.chainId]],
      ['wombat case:2', []],
      ['wombat case:"case 1"', mine],
      ['wombat case:"case 2"', []],
      ['wombat from:elena', [second.chainId]],
      ['FROM:elena after:2025-03-10 wombats', [second.chainId]],
      ['wombat before:2025-03-10', [old.chainId]],
      ['wombat before:2025-03-09', []],
      ['wombat after:2025-03-09 before:2025-03-10', [old.chainId]],
      ['wombat after:2025-03-10', [first.chainId, second.chainId].sort()],
      ['wombat has:legs', []],
      ['wombat from:', mine],
      ['wombat from:escrow@demo.test', []],
    ] as const)
      for (const who of /from:me/i.test(q) ? [parent] : [parent, escrow])
        assert.deepEqual((await find(who, `q=${encodeURIComponent(q)}`)).filter((id) => mine.includes(id)).sort(), [...ids], q);
    for (const q of ['from:elena', 'has:file', 'case:1', 'after:2025-01-01 before:2025-12-31', 'from:me'])
      assert.ok(!(await find(stranger, `q=${encodeURIComponent(q)}`)).some((id) => mine.includes(id)), q);
    assert.ok(
      (await find(escrow, 'q=from:elena')).includes(second.chainId) &&
        !(await find(escrow, 'q=from:elena')).includes(first.chainId),
    );
    for (const q of ['has:file', 'from:me']) assert.ok((await find(parent, `q=${q}`)).includes(first.chainId), q);
    const assign = (to: Client) =>
      api.pool.query('update message_chain set assigned_admin_id = $1 where id = $2', [to.userId, first.chainId]);
    await assign(viewer);
    for (const [q, isFound] of [
      ['wombat', true],
      ['wombat case:1', true],
      ['wombat case:"case 1"', false],
    ] as const)
      assert.equal(
        (await find(viewer, `q=${encodeURIComponent(q)}`)).includes(first.chainId),
        isFound,
        `${q}: no name is revealed`,
      );
    await assign(escrow);
    assert.equal((await parent.call('DELETE', `/api/messages/${first.chainId}/${first.messageId}`)).status, 200);
    for (const q of ['has:file', 'from:me'])
      assert.ok(!(await find(parent, `q=${q}`)).includes(first.chainId), `${q}: it was taken back`);
    for (const q of ['before:2026-02-30', 'after:yesterday', 'before:2026-1']) {
      const { status, body } = await parent.get(`/api/messages?q=${encodeURIComponent(q)}`);
      assert.deepEqual([status, body.errors[0].field], [422, 'q'], q);
      assert.match(body.errors[0].message, /isn’t a day/);
    }
  });

  test('[CHAIN-21] the day of each operator begins in the reader’s time zone', async () => {
    const { chainId, messageId } = await start(parent, { message: 'Quokka at midnight', case_id: String(CASE_1) });
    const at = async (time: string) => {
      await api.pool.query('update message set created_at = $2 where id = $1', [messageId, time]);
      await api.pool.query('update message_chain set created_at = $2, last_message_at = $2 where id = $1', [chainId, time]);
    };
    // The last moment before and the first of March 10 in each zone.
    for (const [zone, midnight] of [
      ['Asia/Tokyo', '2025-03-09T15:00:00Z'],
      ['America/New_York', '2025-03-10T04:00:00Z'],
      ['Asia/Kolkata', '2025-03-09T18:30:00Z'],
    ] as const) {
      await api.pool.query('update user_account set timezone = $2 where id = $1', [parent.userId, zone]);
      for (const [offset, isAfter] of [
        [-1, false],
        [0, true],
      ] as const) {
        await at(new Date(Date.parse(midnight) + offset).toISOString());
        for (const [q, isFound] of [
          ['quokka after:2025-03-10', isAfter],
          ['quokka before:2025-03-10', !isAfter],
          ['quokka after:2025-03-09 before:2025-03-10', !isAfter],
          ['after:2025-03-10 before:2025-03-11', isAfter],
        ] as const)
          assert.equal((await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId), isFound, `${zone} ${offset} ${q}`);
      }
    }
    await api.pool.query('update user_account set timezone = $2 where id = $1', [parent.userId, 'UTC']);
  });

  test('[CHAIN-17, CHAIN-21, API-13] a message is found by the names of its files, and earlier messages once they are rewritten', async () => {
    const file = { name: 'scan_of-passport.pdf', type: 'application/pdf', content: SAMPLES.pdf };
    const { chainId, messageId } = await start(parent, { message: 'Here it is, numbat', case_id: String(CASE_1) }, [file]);
    const finds = async (who: Client, q: string) => (await find(who, `q=${encodeURIComponent(q)}`)).includes(chainId);
    const found = ['passport', 'pdf passp', 'scan_of-passport.pdf', 'has:file passport', 'numbat passport from:paige'];
    for (const who of [parent, escrow]) for (const q of found) assert.ok(await finds(who, q), q);
    assert.ok(!(await finds(stranger, 'passport')));
    const snippets = await findSnippets(api.db, await findCastMember(api, 'parent'), [chainId], 'passport');
    const shown = snippets.get(chainId)?.map(({ text, found: isWord }) => (isWord ? `[${text}]` : text));
    assert.equal(shown?.join(''), 'scan_[of-passport].pdf');
    await api.pool.query('update message set search = $2, search_version = 1 where id = $1', [
      messageId,
      searchVector('Here it is'),
    ]);
    assert.ok(!(await finds(parent, 'passport')));
    await indexWords(api.db, SEARCHED_CONVERSATIONS);
    for (const q of ['passport', 'numbat', 'scan', '"numbat scan"'])
      assert.ok(await finds(parent, q), `${q}, once it is rewritten`);
    assert.equal((await parent.call('DELETE', `/api/messages/${chainId}/${messageId}`)).status, 200);
    assert.ok(!(await finds(parent, 'passport')), 'it was taken back');
  });

  test('[CHAIN-17, CHAIN-21] the line that is shown is of the newest message that fits the words and the operators', async () => {
    const { chainId } = await start(parent, { message: 'Potoroo at noon', case_id: String(CASE_1) });
    for (const [who, message] of [
      [escrow, 'Potoroo at night'],
      [parent, 'Nothing else'],
    ] as const)
      assert.equal((await who.form(`/api/messages/${chainId}`, { message })).status, 201);
    const line = async (q: string, name: 'parent' | 'bothSurrogate' = 'parent') => {
      const parts = (await findSnippets(api.db, await findCastMember(api, name), [chainId], q)).get(chainId);
      return parts?.map(({ text }) => text).join('');
    };
    assert.equal(await line('potoroo'), 'Potoroo at night');
    assert.equal(await line('potoroo from:me'), 'Potoroo at noon');
    assert.equal(await line('potoroo from:elena'), 'Potoroo at night');
    assert.equal(await line('potoroo has:file'), undefined);
    assert.equal(await line('potoroo', 'bothSurrogate'), undefined, 'they don’t see the conversation');
    const long = `${'One of many words. '.repeat(200)}Numbat here, ${'and more words. '.repeat(50)}quoll there`;
    assert.equal((await parent.form(`/api/messages/${chainId}`, { message: long })).status, 201);
    assert.match((await line('numbat')) ?? '', /^words\. One of many words\. Numbat here, and more words/);
    assert.match((await line('quoll')) ?? '', /^One of many words\./, 'only the first 4,000 characters are looked through');
  });

  test('[CHAIN-17, CHAIN-21] each quotation mark begins a phrase, and an unfinished operator is left out', () => {
    for (const sign of '“”„‟«»＂')
      assert.deepEqual(parseSearch(`${sign}red panda${sign} zoo`), parseSearch('"red panda" zoo'), sign);
    assert.deepEqual(parseSearch('from：me'), parseSearch('from:me'));
    for (const name of ['from', 'case', 'has', 'before', 'after', 'FROM'])
      assert.deepEqual(parseSearch(`panda ${name}:`), parseSearch('panda'), name);
    for (const [q, query] of [
      ['panda or zoo', "('panda') | ('zoo':*)"],
      ['panda OR "red zoo"', "('panda') | ('red' <-> 'zoo')"],
      ['panda or', "('panda') & ('or':*)"],
      ['or panda', "('or') & ('panda':*)"],
      ['panda "or" zoo', "('panda') & ('or') & ('zoo':*)"],
      ['panda -zoo', "('panda':*) & !('zoo')"],
      ['-"red zoo" panda', "!('red' <-> 'zoo') & ('panda':*)"],
    ] as const)
      assert.equal(parseSearch(q).query, query, q);
    for (const [q, hasFile] of [
      ['has:file', true],
      ['HAS:Files', true],
      ['has:filed', false],
    ] as const)
      assert.equal(parseSearch(q).hasFile, hasFile, q);
    for (const [q, number] of [
      ['case:12', 12],
      ['case:#12', 12],
      ['case:012', undefined],
    ] as const)
      assert.equal(
        parseSearch(q).cases.find((one) => typeof one === 'number'),
        number,
        q,
      );
  });

  test('[API-13] rows of the previous release are found as before, and are rewritten while people write', async () => {
    const { chainId, messageId } = await start(parent, { message: 'Numbat “quoll” José', case_id: String(CASE_1) });
    const finds = async (...queries: string[]) =>
      Promise.all(queries.map(async (q) => (await find(parent, `q=${encodeURIComponent(q)}`)).includes(chainId)));
    const version = async () =>
      (await api.pool.query('select search_version from message where id = $1', [messageId])).rows[0].search_version;
    assert.deepEqual(await finds('numbat', 'quoll', 'jose'), [true, true, true]);
    await api.pool.query(`update message set search = to_tsvector('simple', message), search_version = 0 where id = $1`, [
      messageId,
    ]);
    assert.deepEqual(await finds('numbat', 'josé', 'jose'), [true, true, false]);
    await inOpenTransaction(api.pool, async (writer) => {
      await writer.query('select from message where id = $1 for update', [messageId]);
      assert.equal(await indexWords(api.db, SEARCHED_CONVERSATIONS), false, 'it does not wait for others');
    });
    assert.equal(await version(), 0);
    await indexWords(api.db, SEARCHED_CONVERSATIONS);
    assert.deepEqual([await version(), ...(await finds('numbat', 'quoll', 'jose'))], [2, true, true, true]);
    const { rows } = await api.pool.query('select count(*)::int as count from message where search_version < 2');
    assert.equal(rows[0].count, 0);
    // The previous release, and an operator, write no words.
    await api.pool.query(`update message set message = 'Bilby and_potoroo' where id = $1`, [messageId]);
    assert.deepEqual([await version(), ...(await finds('bilby', 'potoroo', 'numbat'))], [0, true, true, false]);
  });

  test('[CHAIN-17] staff find common words too, page by page, each conversation once', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 7; at += 1) {
      ids.push((await start(parent, { message: `Quokka number ${at}`, case_id: String(CASE_1) })).chainId);
    }
    // Another person's conversation makes the word too frequent to count as rare.
    const { chainId: foreign } = await start(stranger, { message: 'Elsewhere' });
    const { rows } = await api.pool.query('select from_id from message where chain_id = $1', [foreign]);
    for (const common of [false, true]) {
      if (common) {
        await api.pool.query(
          `insert into message (chain_id, from_id, from_type, to_admin, message)
           select $1, $2, 'surrogate', true, 'Quokka again' from generate_series(1, 1200)`,
          [foreign, rows[0].from_id],
        );
      }
      const found: number[] = [];
      let cursor = '';
      do {
        const { body } = await escrow.get(`/api/messages?q=quokka%20number&limit=3${cursor && `&cursor=${cursor}`}`);
        found.push(...body.data.map((chain: { id: number }) => chain.id));
        cursor = body.next_cursor ?? '';
      } while (cursor !== '');
      assert.deepEqual(found, [...ids].reverse(), `common: ${common}`);
      const seen = await find(escrow, 'q=quokka');
      for (const id of ids) assert.ok(seen.includes(id));
    }
    await api.pool.query(`delete from message where message = 'Quokka again'`);
  });

  test('[CHAIN-17, API-6] people who see very many find rare, middling, and common words alike, and nothing of others', async () => {
    // They have 300 conversations and others 300. The newest 1,000 messages lack the rarer words. `okapi` appears 1,500 times,
    // and `dingo` in more messages than a search looks up.
    await api.pool.query(
      `with other as (
         insert into message_chain (assigned_admin_id, created_by, last_message_id) values ($1, $2, 0) returning id)
       insert into message (chain_id, from_id, from_type, to_admin, message)
       select id, $2, 'ip', true, 'Dingo' from other, generate_series(1, 5001)`,
      [viewer.userId, parent.userId],
    );
    await api.pool.query(
      `with made as (
         insert into message_chain (subject, case_id, assigned_admin_id, created_by, last_message_id)
         select case when n % 150 = 0 then 'Tapir' else 'Herd' end || ' ' || n, null, case n % 2 when 0 then $1::bigint else $3 end,
                $2::bigint, 0 from generate_series(1, 600) n returning id, subject, split_part(subject, ' ', 2)::int as n),
       joined as (
         insert into message_chain_group (chain_id, user_id, last_message_id)
         select id, $2, 0 from made where n % 2 = 0)
       insert into message (chain_id, from_id, from_type, to_admin, message)
       select id, $2, 'ip', true,
              concat_ws(' ', 'Herds graze', case when m < 6 and n % 4 < 2 then 'okapi' end, case when m = 3 and n % 50 = 0 then 'dugong' end,
                case when m = 1 and n % 100 = 0 then 'dingo' end, case when m = 8 and n % 6 <> 2 then 'wallow' end,
                case when m = 6 and n > 100 then 'plain' end)
         from made, generate_series(1, 8) m order by m, n`,
      [escrow.userId, parent.userId, viewer.userId],
    );
    await api.pool.query(
      `with newest as (select chain_id, max(id) as id from message group by chain_id),
            known as (update message_chain c set last_message_id = n.id from newest n where n.chain_id = c.id and c.last_message_id = 0)
       update message_chain_group g set last_message_id = n.id from newest n where n.chain_id = g.chain_id and g.last_message_id = 0`,
    );
    await vacuumAnalyze(api, 'message', 'message_chain', 'message_chain_group');
    const holding = async (words: string) =>
      (
        await api.pool.query<{ id: string }>(
          `select c.id from message_chain c where c.assigned_admin_id = $1 and (c.search @@ search_words($2)
              or exists (select from message m where m.chain_id = c.id and m.search @@ search_words($2)))
            order by c.last_message_id desc`,
          [escrow.userId, words],
        )
      ).rows.map(({ id }) => Number(id));
    for (const [words, count] of Object.entries({
      okapi: 150,
      'herds okapi': 150,
      'okapi graze': 150,
      dugong: 12,
      'dugong graze': 12,
      '"graze okapi"': 150,
      tapir: 4,
      'herds graze': 300,
      dingo: 6,
      'plain herds': 250,
      'wallow herds': 200,
      'herds -okapi': 300,
      zebra: 0,
      'dugong zebra': 0,
    })) {
      const ids: number[] = [];
      for (const who of [escrow, parent]) {
        ids.length = 0;
        let cursor = '';
        do {
          const { body } = await who.get(
            `/api/messages?limit=100&q=${encodeURIComponent(words)}${cursor && `&cursor=${cursor}`}`,
          );
          ids.push(...body.data.map((chain: { id: number }) => chain.id));
          cursor = body.next_cursor ?? '';
        } while (cursor !== '');
        assert.equal(ids.length, count, words);
        assert.deepEqual(ids, await holding(words), words);
      }
    }
    for (const [filter, count] of [
      ['q=tapir from:paige', 4],
      ['q=tapir from:elena', 0],
      ['q=tapir before:2000-01-01', 0],
      ['status=closed&q=tapir', 0],
      ['q=dugong has:file', 0],
      ['status=closed&q=dugong', 0],
      ['q=okapi from:elena', 0],
      ['status=closed&q=herds', 0],
    ] as const)
      for (const who of [escrow, parent]) assert.equal((await find(who, encodeURI(filter))).length, count, filter);
  });
});
