"""The documents the tests send."""

POST = "id title rating labels status blogID _version _deleted _lastChangedAt createdAt updatedAt"
CREATE = f"mutation C($input: CreatePostInput!) {{ createPost(input: $input) {{ {POST} }} }}"
UPDATE = f"""mutation U($input: UpdatePostInput!, $condition: ModelPostConditionInput) {{
  updatePost(input: $input, condition: $condition) {{ {POST} }} }}"""
DELETE = f"mutation D($input: DeletePostInput!) {{ deletePost(input: $input) {{ {POST} }} }}"
SYNC = f"""query Sync($filter: ModelPostFilterInput, $limit: Int, $nextToken: String,
                      $lastSync: AWSTimestamp) {{
  syncPosts(filter: $filter, limit: $limit, nextToken: $nextToken, lastSync: $lastSync) {{
    items {{ {POST} }} nextToken startedAt }} }}"""
PLAIN = "id title rating createdAt updatedAt"
PLAIN_CREATE = f"mutation C($input: CreatePostInput!) {{ createPost(input: $input) {{ {PLAIN} }} }}"
PLAIN_UPDATE = f"""mutation U($input: UpdatePostInput!, $condition: ModelPostConditionInput) {{
  updatePost(input: $input, condition: $condition) {{ {PLAIN} }} }}"""
PLAIN_DELETE = f"""mutation D($input: DeletePostInput!, $condition: ModelPostConditionInput) {{
  deletePost(input: $input, condition: $condition) {{ {PLAIN} }} }}"""
LIST = f"""query L($filter: ModelPostFilterInput, $limit: Int, $nextToken: String) {{
  listPosts(filter: $filter, limit: $limit, nextToken: $nextToken) {{
    items {{ {PLAIN} }} nextToken }} }}"""
ON_CREATE = "subscription S { onCreatePost { id title rating } }"
