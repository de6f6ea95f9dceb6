# Types and presence of every function, in C++ because that can compare types.
add_executable(test_api_prototypes prototypes.cpp)
target_link_libraries(test_api_prototypes PRIVATE belay_flags opapi nnopbase ascendcl)
add_test(NAME api/prototypes COMMAND test_api_prototypes)

