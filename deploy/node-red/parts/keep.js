// casino/v1/SITE/TABLE/state, .../status and .../evt/KIND: the newest state and status of each table, and the last violations.
const SHOWN = 12;
const [, , site, table, kind] = msg.topic.split('/');
const said = msg.payload;
if (typeof said !== 'object' || said === null) return null;   // nothing that a table says

const floor = flow.get('floor') || { tables: {}, violations: [] };
if (kind === 'evt') {
    const verdict = said.data.verdict;
    if (!verdict || verdict.outcome !== 'violation') return null;
    if (floor.violations.some(each => each.id === said.id)) return null;   // repeats are normal: docs/mqtt.md
    const { code, rule, detail, round } = verdict;
    floor.violations.unshift({ id: said.id, time: said.time, site, table, round, code, rule, detail });
    floor.violations.splice(SHOWN);
} else {
    const key = `${site}/${table}`;
    floor.tables[key] = { ...floor.tables[key], site, table, [kind]: said };
}
flow.set('floor', floor);
return msg;
