// What the page shows: one row a table, in the order of their names, and the last violations.
const floor = flow.get('floor') || { tables: {}, violations: [] };

function alarms(status, state) {
    const told = new Set([...(status.alarms || []), ...(state.alarms || [])]);
    if (status.insecure) told.add('messages cross the network in plain text');
    if (state.reader && state.reader.out) told.add(`reader out${state.reader.code ? ': ' + state.reader.code : ''}`);
    if (state.shoe && state.shoe.faulted) told.add('shoe in error');
    if (state.round && state.round.disputed) told.add('round disputed');
    for (const [device, link] of Object.entries(state.links || {})) {
        if (link.state !== 'ready') told.add(`${device} link: ${link.state}`);
    }
    return [...told];
}

function row({ site, table, status = {}, state = {} }) {
    const { round = {}, hands = [], due = [], links = {}, last = null } = state;
    return {
        site, table, hands, due, last,
        online: status.status === 'online',
        procedure: state.procedure || '',
        method: state.method || state.family || '',
        round: round.number ? `${round.number}${round.open ? '' : ' (closed)'}` : '',
        links: Object.entries(links).map(([device, link]) => ({ device, up: link.state === 'ready' })),
        alarms: alarms(status, state),
    };
}

const tables = Object.keys(floor.tables).sort().map(key => row(floor.tables[key]));
msg.payload = { connected: flow.get('connected') === true, tables, violations: floor.violations };
return msg;
