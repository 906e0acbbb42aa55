// Whether this flow itself hears the broker: without it, what the page shows is old.
flow.set('connected', msg.status.fill === 'green');
return msg;
