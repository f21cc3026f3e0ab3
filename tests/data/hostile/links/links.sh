# Every way in which a link of a checkout could lead what is written somewhere else.
set -u
git init -q .
printf '#!/usr/bin/env python3\nimport numpy as np\na, b = np.zeros(9), np.ones(9)\nfor i in range(9):\n    a[i] = b[i] * 2\n' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
ln -s .git/hooks/pre-commit a.py
ln -s .git/hooks hooks
ln -s .git/config report.json
ln -s .git/hooks/post-commit new.json
mkdir facts && ln -s ../.git/config facts/call.facts
"$HARP" check a.py hooks --fix --unsafe-fixes
"$HARP" suppress a.py hooks/pre-commit
"$HARP" check . --output json:report.json
"$HARP" check . --output json:new.json
"$HARP" check . --output json:hooks/post-commit
"$HARP" facts . --output facts
"$HARP" facts . --output hooks
"$HARP" check . --baseline report.json --update-baseline
"$HARP" check . --cache-dir hooks
"$HARP" new-pack acme --path hooks/acme
"$HARP" review
